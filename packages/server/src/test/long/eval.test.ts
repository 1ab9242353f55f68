import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { runToEnd, type Server, startServer, tempDir, untilSynced } from '../e2e/process.ts';
import { KEY, startModelServer } from '../models/server.ts';

const TOPICS = ['river', 'bridge', 'garden', 'copper', 'window', 'letter', 'harbour', 'signal'];

describe('quarry eval', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server | undefined;
  beforeEach(() => {
    dir = tempDir();
  });
  afterEach(async () => {
    await server?.kill();
    server = undefined;
    dir.remove();
  });

  const write = (files: Record<string, readonly object[] | string>): string => {
    const folder = join(dir.path, 'topics');
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      const lines =
        typeof content === 'string'
          ? content
          : content.map((one) => JSON.stringify(one)).join('\n');
      writeFileSync(join(folder, name), lines);
    }
    return folder;
  };
  const set = (name: (topic: string) => string) =>
    write({
      'corpus.jsonl': TOPICS.map((topic) => ({
        _id: topic,
        title: `The ${topic}`,
        text: `Whoever has seen the old ${topic} will remember it for a long time.`,
      })),
      'queries.jsonl': TOPICS.map((topic) => ({ _id: `q-${topic}`, text: `an old ${topic}` })),
      'qrels.tsv': TOPICS.map((topic) => `q-${topic}\t${name(topic)}\t1`).join('\n'),
    });

  it('fills a collection of its own, and prints every stage', async () => {
    const folder = set((topic) => topic);
    const { code, stdout, stderr } = await runToEnd(['eval', folder, '--json']);
    assert.equal(code, 0, stderr);
    const [table, ...others] = JSON.parse(stdout);
    assert.deepEqual(others, []);
    assert.equal(table.title, 'topics: 8 documents, 8 queries');
    assert.deepEqual(
      table.rows.map((row: { stage: string }) => row.stage),
      ['bm25', 'keyword', 'neural', 'hybrid', 'keyword-reranked', 'reranked', 'expanded'],
    );
    for (const { stage, ndcg10, recall100, difference, latency } of table.rows) {
      assert.deepEqual([stage, ndcg10, recall100], [stage, 1, 1]);
      if (stage === 'bm25') assert.deepEqual([difference, latency], [null, null]);
      else assert.deepEqual([difference.low, difference.high, latency.p95 > 0], [0, 0, true]);
    }
    const text = await runToEnd(['eval', folder, '--known-items', '4', '--stages', 'expanded']);
    assert.match(text.stdout, /^topics: 8 documents, 4 queries\n\n\| stage +\| nDCG@10/);
    assert.match(text.stdout, /\n\| reranked .*\n\| expanded .* vs reranked/);
    assert.match(text.stderr, /documents stored/);
    const cut = await runToEnd(['eval', folder, '--cut-names', '--stages', 'hybrid']);
    assert.match(cut.stdout, /^topics, names cut at 60 characters: 8 documents, 8 queries\n/);
  });

  it('fills and asks a folder with the embedder of the settings', async () => {
    const folder = set((topic) => topic);
    // The model says that every query is near the text about the river, and near no other.
    const model = await startModelServer(({ texts }) => ({
      vectors: texts.map((text) =>
        Array.from({ length: 16 }, (_, i) => Number((i === 0) === /river|^an old/.test(text))),
      ),
    }));
    const { code, stdout, stderr } = await runToEnd(
      ['eval', folder, '--json', '--stages', 'neural'],
      {
        QUARRY_EMBEDDER: model.named('openai-compatible'),
        QUARRY_EMBEDDER_DIMENSIONS: '16',
        OPENAI_COMPATIBLE_API_KEY: KEY,
      },
    );
    await model.close();
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      new Set(model.calls.map(({ headers }) => headers.authorization)),
      new Set([`Bearer ${KEY}`]),
    );
    const asked = new Set(model.calls.flatMap(({ texts }) => texts));
    for (const topic of TOPICS) {
      assert.ok(asked.has(`an old ${topic}`));
      assert.ok([...asked].some((text) => text.startsWith('Whoever') && text.includes(topic)));
    }
    // Each query finds the river first, which is right for one of them.
    const [{ rows }] = JSON.parse(stdout);
    const neural = rows.find((row: { stage: string }) => row.stage === 'neural');
    assert.ok(neural.ndcg10 < 0.8);
  });

  it('asks a collection of the service that runs meanwhile', async () => {
    server = await startServer(dir.path, { args: [], env: {} });
    const where = ['--data-dir', dir.path, '--json', '--stages', 'hybrid'];
    const made = ['eval', '--collection', 'quarry-docs', '--known-items', '12', ...where];
    const { code, stdout, stderr } = await runToEnd(made);
    assert.equal(code, 0, stderr);
    const [{ title, rows }] = JSON.parse(stdout);
    assert.match(title, /^quarry-docs: \d+ documents, 12 queries$/);
    assert.ok(rows[1].ndcg10 > 0.5);

    const folder = set(() => 'README.md');
    const judged = await runToEnd(['eval', folder, '--collection', 'quarry-docs', ...where]);
    assert.equal(judged.code, 0, judged.stderr);
    assert.match(JSON.parse(judged.stdout)[0].title, /8 queries/);
  });

  it('fits the weights of a collection, which the running service uses until they are reset', async () => {
    server = await startServer(dir.path);
    const service = server;
    await service.call('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
    const { body: connection } = await service.call('POST', '/v1/source-connections', {
      name: 'Notes',
      short_name: 'push',
      readable_collection_id: 'notes',
    });
    // Titles mislead here: each pair of words stands in the title of one note, and is told in the text of another.
    const pairs = TOPICS.flatMap((one) =>
      ['red', 'tall', 'wet', 'loud'].map((of) => `${of} ${one}`),
    );
    const { status } = await service.call(
      'POST',
      `/v1/source-connections/${connection.id}/entities`,
      {
        entities: pairs.flatMap((pair, i) => [
          {
            entity_id: `title-${i}`,
            name: `The ${pair}`,
            text: 'Somebody has to write this down.',
          },
          {
            entity_id: `text-${i}`,
            name: 'Untitled',
            text: `We saw a ${pair}, and a ${pair} again.`,
          },
        ]),
      },
    );
    assert.equal(status, 202);
    await untilSynced(service, connection.id);
    const folder = write({
      'queries.jsonl': pairs.map((pair, i) => ({ _id: `q${i}`, text: pair })),
      'qrels.tsv': pairs.map((_, i) => `q${i}\ttext-${i}\t1`).join('\n'),
    });
    const best = async () => {
      const path = '/v1/collections/notes/search';
      const body = { query: 'wet copper', limit: 1, explain: true, generate_answer: false };
      const answer = await service.call('POST', path, body);
      const [{ entity_id, explanation }] = answer.body.results;
      const weights = explanation.parts.map(({ name, weight }: Record<string, unknown>) => [
        name,
        weight,
      ]);
      return { id: entity_id.replace(/-.*/, ''), weights: Object.fromEntries(weights) };
    };
    const evaluated = async (...args: string[]) => {
      const where = ['--collection', 'notes', '--data-dir', dir.path];
      const { code, stdout, stderr } = await runToEnd(['eval', ...args, ...where]);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const before = await best();
    assert.equal(before.id, 'title');
    const fitted = ['eval', '--collection', 'notes', '--data-dir', dir.path, '--fit'];
    const few = await runToEnd([...fitted, '--known-items', '12']);
    assert.match(few.stderr, /quarry: --fit needs at least 30 queries .* notes has 12\n$/);
    const another = { QUARRY_EMBEDDER: 'ollama/other', QUARRY_EMBEDDER_DIMENSIONS: '16' };
    const wrong = await runToEnd([...fitted, folder], another);
    assert.match(
      wrong.stderr,
      /^quarry: the vectors of notes are made by quarry-static-256-v1, not/,
    );
    assert.match(await evaluated(folder, '--fit', '--dry-run'), /\nWithout --dry-run, searches/);
    assert.deepEqual(await best(), before);

    const report = JSON.parse(await evaluated(folder, '--fit', '--json'));
    assert.equal(report.stored, true);
    assert.ok(report.difference.low > 0 && report.ndcg10.fitted > report.ndcg10.default);
    const during = await best();
    assert.equal(during.id, 'text');
    assert.ok((during.weights.title ?? 0) < before.weights.title);
    assert.match(
      await evaluated('--reset-weights'),
      /^Searches of notes use the default weights f/,
    );
    assert.deepEqual(await best(), before);
  });

  it('says in one sentence what it cannot use', async () => {
    const folder = set(() => 'nothing');
    for (const [args, message] of [
      [[], 'quarry: give folders of judged sets, or --collection'],
      [[folder], `quarry: ${join(folder, 'qrels.tsv')}:1: corpus.jsonl has no document nothing`],
      [[join(dir.path, 'none')], /^quarry: cannot read .*corpus\.jsonl/],
      [
        [folder, '--stages', 'best'],
        /^quarry: stage 'best' is not known: give one or more of keyword, /,
      ],
      [[folder, '--known-items', '0'], 'quarry: --known-items takes a whole number from 1 on'],
      [
        ['--cut-names', folder],
        `quarry: --cut-names takes a number, not '${folder}': to leave the number out, give --cut-names after the folders`,
      ],
      [
        ['--collection', 'x', '--cut-names'],
        'quarry: --cut-names needs folders: the records of a collection have names',
      ],
      [['--collection', 'x'], 'quarry: --collection needs a folder with queries, or --known-items'],
      [
        ['--collection', 'x', '--known-items', '1', '--data-dir', dir.path],
        `quarry: ${join(dir.path, 'quarry.db')} holds no database: give the data directory of the service with --data-dir`,
      ],
    ] as const) {
      const { code, stdout, stderr } = await runToEnd(['eval', ...args]);
      assert.deepEqual([code, stdout], [1, '']);
      if (message instanceof RegExp) assert.match(stderr, message);
      else assert.equal(stderr.trim(), message);
    }
  });
});
