/** These tests make chunks in real threads. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import pino from 'pino';
import { createBuiltinEmbedder } from '../engines/embedder/builtin.ts';
import { loadModel } from '../engines/embedder/model-file.ts';
import { type ChunkInput, makeChunks } from '../syncs/pipeline/chunks.ts';
import { measured } from '../test/measured.ts';
import { until } from '../test/until.ts';
import { startChunkThreads } from './chunk-threads.ts';

const model = loadModel();
const embedder = createBuiltinEmbedder({ model });
const { signal } = new AbortController();
const entities: readonly ChunkInput[] = [
  {
    row: 'a',
    entity: {
      name: 'Port.md',
      text: `# Tides\n\n${'The tide turns twice a day. '.repeat(200)}\f…`,
      context: 'Handbook',
    },
  },
  { row: 'b', entity: { name: 'plan.pdf', text: 'One.\nTwo.', isMarkdown: true, pages: [0, 5] } },
  { row: 'c', entity: { name: '', text: '…' } },
];
const data = { model, logLevel: 'silent', isMeasured: false };
const silent = pino({ level: 'silent' });
const idsOf = (rows: ReadonlyMap<string, unknown>) => [...rows.keys()];

describe('the threads that make chunks', () => {
  const open: { stop(): Promise<void> }[] = [];
  after(() => Promise.all(open.map((threads) => threads.stop())));

  function start(options: Partial<Parameters<typeof startChunkThreads>[0]> = {}) {
    const threads = startChunkThreads({
      ...measured(),
      data,
      count: 2,
      embedder,
      log: silent,
      ...options,
    });
    open.push(threads);
    return threads;
  }

  it('make the same chunks as this thread, for several calls at once', async () => {
    const threads = start();
    const here = await makeChunks(entities, { embedder, signal });
    assert.deepEqual(idsOf(here), ['a', 'b', 'c']);
    const there = await Promise.all(
      Array.from({ length: 5 }, () => threads.make(entities, signal)),
    );
    for (const made of there) assert.deepEqual(made, here);
  });

  it('pass an error of the splitter on, and go on', async () => {
    const threads = start();
    const odd = { row: 'x', entity: { name: 'x', text: null as unknown as string } };
    await assert.rejects(threads.make([odd], signal), TypeError);
    assert.deepEqual(idsOf(await threads.make(entities, signal)), ['a', 'b', 'c']);
  });

  it('let a caller go that no longer waits', async () => {
    const threads = start();
    const caller = new AbortController();
    const made = threads.make(entities, caller.signal);
    caller.abort(new Error('the sync was cancelled'));
    await assert.rejects(made, /the sync was cancelled/);
    await assert.rejects(threads.make(entities, caller.signal), /the sync was cancelled/);
    assert.deepEqual(idsOf(await threads.make(entities, signal)), ['a', 'b', 'c']);
  });

  it('leave their work to this thread when they die, and are not started for ever', async () => {
    const logged: string[] = [];
    const log = pino({}, { write: (line) => logged.push(line) });
    const broken = { ...data, logLevel: 'no level' };
    const threads = start({ data: broken, log, count: 1 });
    const here = await makeChunks(entities, { embedder, signal });
    for (let call = 0; call < 5; call++)
      assert.deepEqual(await threads.make(entities, signal), here);
    const deaths = logged.map((line) => JSON.parse(line)).map(({ deaths, msg }) => [deaths, msg]);
    assert.deepEqual(deaths, [
      [1, 'a thread died'],
      [2, 'a thread died'],
      [3, 'a thread died'],
      [undefined, 'the worker thread makes all chunks from now on'],
    ]);
  });

  it('end when they have nothing to do', {
    skip: process.platform !== 'linux' && 'it counts threads in /proc',
  }, async () => {
    const running = () => readdirSync('/proc/self/task').length;
    const threads = start({ idleMs: 50 });
    const before = running();
    await threads.make(entities, signal);
    assert.ok(running() > before);
    await until(() => running() <= before);
    assert.deepEqual(idsOf(await threads.make(entities, signal)), ['a', 'b', 'c']);
  });
});
