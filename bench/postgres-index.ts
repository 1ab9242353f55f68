/**
 * `npm run bench:postgres -- postgres://… [--chunks 10000,100000]` measures each part of the PostgreSQL index (words,
 * vectors): which share of the exact index's results it finds, and how long it takes. It uses a database of its own on
 * that server. Without an address it runs on PGlite, with pgvector and pg_textsearch.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { embeddedText, split } from '../packages/server/src/documents/split.ts';
import { createBuiltinEmbedder } from '../packages/server/src/engines/embedder/builtin.ts';
import { createExactIndex } from '../packages/server/src/engines/index/exact.ts';
import { createPostgresIndex } from '../packages/server/src/engines/index/postgres.ts';
import type { IndexQuery, SearchIndex, Sight } from '../packages/server/src/engines/ports.ts';
import { everything } from '../packages/server/src/model/filter.ts';
import { terms } from '../packages/server/src/model/terms.ts';
import { hasTitle, indexTerms } from '../packages/server/src/model/title.ts';
import { quantize } from '../packages/server/src/model/vector.ts';
import {
  openOnServer,
  openPglite,
  type TestDatabase,
} from '../packages/server/src/test/databases.ts';
import { asking } from '../packages/server/src/test/engines/asking.ts';
import { newId } from '../packages/server/src/util.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { writeCorpus } from './corpus.ts';
import { percentile } from './service.ts';

const CHUNKS_PER_FILE = 4;
const FILES_PER_COMMIT = 50;
/** One line of progress is written for this many files. */
const FILES_PER_LINE = 5000;
const DEPTH = 200;
const WARM_UP = 20;
const never = new AbortController().signal;
const embedder = createBuiltinEmbedder();
const { dimensions } = embedder;

answerHelp(import.meta.filename);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { chunks: { type: 'string', default: '10000,100000' } },
});
const [server] = positionals;
for (const chunks of values.chunks.split(',').map(Number)) {
  const database = await (server ? openOnServer(server) : openPglite({ vector, pg_textsearch }));
  const folder = await mkdtemp(join(tmpdir(), 'quarry-bench-'));
  try {
    console.log(`${chunks} chunks`);
    await bench(database, folder, chunks / CHUNKS_PER_FILE);
  } finally {
    rmSync(folder, { recursive: true });
    await database.close();
  }
}

async function bench(database: TestDatabase, folder: string, files: number): Promise<void> {
  const { db, kind } = database;
  const index = createPostgresIndex({ dimensions });
  const exact = createExactIndex({ kind, dimensions, budget: 2 ** 31 });
  const asked = asking(index, db);
  const { queries } = writeCorpus(folder, { files, seed: 1 });
  const collectionId = newId();
  const connectionId = newId();
  await db.transaction().execute((tx) => index.create(tx, collectionId));
  const commits = await load(database, index, { collectionId, connectionId }, folder);
  row('write into the index, 200 chunks, p50 / p95 / max', show(commits, [0.5, 0.95, 1]));
  while (await index.maintain(db, collectionId));

  const vectors = await embedder.embed(queries, 'query', never);
  const arms = {
    words: (i: number) => ({ terms: terms(queries[i] ?? '') }),
    vectors: (i: number) => ({ vector: vectors[i] ?? new Float32Array(dimensions) }),
  };
  const whole: Sight = { live: [connectionId], principals: null };
  const query = (arm: IndexQuery['arm'], depth: number): IndexQuery => ({
    ...whole,
    arm,
    filter: everything,
    depth,
  });
  const timed = async (ask: (i: number) => Promise<unknown>) => {
    const took: number[] = [];
    for (let i = 0; i < queries.length; i++) {
      const before = performance.now();
      await ask(i);
      took.push(performance.now() - before);
    }
    return show(took.slice(WARM_UP), [0.5, 0.95]);
  };

  row(
    'first question',
    show([await once(() => asked.statistics(collectionId, ['x'], whole))], [1]),
  );
  row(
    'statistics, p50 / p95',
    await timed((i) => asked.statistics(collectionId, arms.words(i).terms, whole)),
  );
  for (const [name, arm] of Object.entries(arms)) {
    const times = await timed((i) => asked.candidates(collectionId, query(arm(i), DEPTH)));
    row(`${name}, p50 / p95`, times);
    for (const depth of [10, DEPTH]) {
      let found = 0;
      let expected = 0;
      for (let i = 0; i < queries.length; i++) {
        const given = new Set(await asked.candidates(collectionId, query(arm(i), depth)));
        const right = await asking(exact, db).candidates(collectionId, query(arm(i), depth));
        expected += right.length;
        found += right.filter((n) => given.has(n)).length;
      }
      row(`${name}, recall@${depth}`, (found / expected).toFixed(4));
    }
  }
}

async function load(
  { db }: TestDatabase,
  index: SearchIndex,
  scope: { collectionId: string; connectionId: string },
  folder: string,
): Promise<number[]> {
  const took: number[] = [];
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .toSorted();
  for (let at = 0; at < paths.length; at += FILES_PER_COMMIT) {
    if (at % FILES_PER_LINE === 0) tellProgress(`  ${at} of ${paths.length} files written`);
    const docs = paths.slice(at, at + FILES_PER_COMMIT).map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return { name, entity: newId(), pieces: split({ name, text }) };
    });
    const pieces = docs.flatMap(({ name, entity, pieces }) =>
      pieces.map((piece, index) => ({ ...piece, name, entity, index })),
    );
    const texts = pieces.map((piece) => embeddedText(piece.name, piece));
    const vectors = await embedder.embed(texts, 'document', never);
    const chunks = pieces.map((piece, i) => ({
      ...piece,
      textHash: '',
      isTitled: hasTitle(piece),
      terms: indexTerms(piece),
      vector: quantize(vectors[i] ?? new Float32Array(dimensions)),
    }));
    const entities = docs.map(({ name, entity }) => entityRow(scope, name, entity));
    await db.transaction().execute(async (tx) => {
      await tx.insertInto('entities').values(entities).execute();
      const ids = entities.map(({ id }) => id);
      took.push(await once(() => index.write(tx, scope, ids, chunks)));
    });
    if ((at / FILES_PER_COMMIT) % 4 === 3) await index.maintain(db, scope.collectionId);
  }
  return took;
}

function entityRow(
  scope: { collectionId: string; connectionId: string },
  name: string,
  id: string,
) {
  return {
    id,
    organization_id: '',
    collection_id: scope.collectionId,
    connection_id: scope.connectionId,
    entity_id: name,
    entity_type: 'File',
    sync_id: '',
    sync_job_id: '',
    hash: '',
    partition: '',
    generation: 0,
    is_listed: true,
    name,
    breadcrumbs: '[]',
    is_public: false,
    metadata: '{}',
    raw: new Uint8Array(),
    created_at: 0,
    modified_at: 0,
  };
}

async function once(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return performance.now() - before;
}

function show(times: readonly number[], shares: readonly number[]): string {
  return shares.map((share) => percentile(times, share).toFixed(1)).join(' / ');
}

function row(name: string, value: string): void {
  console.log(`  ${name.padEnd(52)} ${value}`);
}
