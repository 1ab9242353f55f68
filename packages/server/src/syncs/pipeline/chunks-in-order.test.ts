import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import type { Embedder } from '../../engines/ports.ts';
import type { ChunkInput, ChunkThreads } from './chunks.ts';
import { makeChunks } from './chunks.ts';
import { chunksInOrder } from './chunks-in-order.ts';

const { signal } = new AbortController();
const builtIn = createBuiltinEmbedder();
const one = (row: string): ChunkInput => ({
  row,
  entity: { name: row, text: `the text of ${row}` },
});
const groups = (count: number) => Array.from({ length: count }, (_, i) => [one(`r${i}`)]);
const knownVectors = async () => new Map();

/** These stand for threads: they do the same work in this thread, and can be slow or fail. */
function threadsOf(count: number, work: (row: string) => Promise<void> | void = () => {}) {
  const asked: string[] = [];
  let atOnce = 0;
  let most = 0;
  const threads: ChunkThreads = {
    count,
    async make(entities) {
      const row = entities[0]?.row ?? '';
      asked.push(row);
      most = Math.max(most, ++atOnce);
      try {
        await work(row);
        return await makeChunks(entities, { embedder: builtIn, signal });
      } finally {
        atOnce--;
      }
    },
  };
  return { threads, asked, most: () => most };
}

async function rowsOf(count: number, chunkThreads?: ChunkThreads, embedder: Embedder = builtIn) {
  const rows: string[] = [];
  const deps = { embedder, chunkThreads, knownVectors, signal };
  for await (const made of chunksInOrder(groups(count), deps)) {
    const [row, chunks] = [...made][0] ?? ['', []];
    assert.deepEqual(
      chunks.map(({ text }) => text),
      [`the text of ${row}`],
    );
    rows.push(row);
  }
  return rows;
}
const inOrder = (count: number) => Array.from({ length: count }, (_, i) => `r${i}`);

describe('the chunks of several groups', () => {
  it('come in the order of the groups, whoever makes them', async () => {
    assert.deepEqual(await rowsOf(0), []);
    assert.deepEqual(await rowsOf(7), inOrder(7));
    const { threads, asked, most } = threadsOf(2, (row) => sleep(row === 'r0' ? 40 : 1));
    assert.deepEqual(await rowsOf(20, threads), inOrder(20));
    assert.ok(asked.length >= 4 && asked.length < 20, `${asked.length} by others`);
    assert.ok(most() <= 4, `${most()} groups were away at once`);
  });

  it('are made here when there is but one group, and the last group always is', async () => {
    const { threads, asked } = threadsOf(3);
    assert.deepEqual(await rowsOf(1, threads), ['r0']);
    assert.deepEqual(asked, []);
    assert.deepEqual(await rowsOf(2, threads), inOrder(2));
    assert.deepEqual(asked, ['r0']);
  });

  it('are made by this thread meanwhile, when the others are slow', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { threads, asked } = threadsOf(1, () => slow);
    const deps = { embedder: builtIn, chunkThreads: threads, knownVectors, signal };
    const all = chunksInOrder(groups(9), deps);
    const first = all.next();
    await sleep(50);
    assert.deepEqual(asked, ['r0', 'r1']);
    finish();
    assert.deepEqual(
      [...((await first).value ?? [])].map(([row]) => row),
      ['r0'],
    );
    let rest = 0;
    for await (const made of all) rest += made.size;
    assert.equal(rest, 8);
    assert.deepEqual(asked, ['r0', 'r1'], 'this thread had made all others');
  });

  it('of an embedder of others are made here, with the vectors that are known', async () => {
    const { threads, asked } = threadsOf(2);
    const sent: string[] = [];
    const remote: Embedder = {
      ...builtIn,
      isBuiltIn: false,
      async embed(texts, ...rest) {
        sent.push(...texts);
        return builtIn.embed(texts, ...rest);
      },
    };
    const [made] = [...(await makeChunks([one('known')], { embedder: remote, signal })).values()];
    const known = new Map([
      [made?.[0]?.textHash ?? '', made?.[0]?.vector ?? { scale: 0, values: new Int8Array() }],
    ]);
    sent.length = 0;
    const deps = {
      embedder: remote,
      chunkThreads: threads,
      signal,
      knownVectors: async () => known,
    };
    const rows: string[] = [];
    for await (const some of chunksInOrder([[one('known'), one('new')], [one('last')]], deps))
      rows.push(...some.keys());
    assert.deepEqual(rows, ['known', 'new', 'last']);
    assert.deepEqual(asked, []);
    assert.deepEqual(
      sent.map((text) => /new|last|known/.exec(text)?.[0]),
      ['new', 'last'],
    );
  });

  it('are not made for a caller that takes no more of them', async () => {
    const { threads, asked } = threadsOf(1, () => sleep(5));
    const deps = { embedder: builtIn, chunkThreads: threads, knownVectors, signal };
    for await (const made of chunksInOrder(groups(30), deps)) {
      assert.equal(made.size, 1);
      break;
    }
    const begun = asked.length;
    await sleep(60);
    assert.equal(asked.length, begun);
  });

  it('an error comes in the turn of its group, after the groups before it', async () => {
    const { threads } = threadsOf(1, (row) => {
      if (row === 'r1') throw new Error('broken');
    });
    const rows: string[] = [];
    await assert.rejects(async () => {
      const deps = { embedder: builtIn, chunkThreads: threads, knownVectors, signal };
      for await (const made of chunksInOrder(groups(6), deps)) {
        rows.push(...made.keys());
        await sleep(20);
      }
    }, /broken/);
    assert.deepEqual(rows, ['r0']);
  });
});
