/**
 * These tests search over several real search threads. Each thread has a copy of the index in memory, so an
 * examination shows how many threads there are.
 */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, afterEach, before, describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { readConfig } from '../config.ts';
import { loadModel } from '../engines/embedder/model-file.ts';
import { GrepBody } from '../entities/contents/schema.ts';
import { SearchBody } from '../search/schema.ts';
import { insertOrganization } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { measured } from '../test/measured.ts';
import { type Library, libraryOn } from '../test/search/library.ts';
import { PLAIN } from '../test/search/plain.ts';
import { skipWaits } from '../test/skip-waits.ts';
import { isFull } from '../test/tier.ts';
import { until } from '../test/until.ts';
import { must } from '../util.ts';
import { type SearchThreadsOptions, startSearchThreads } from './search-threads.ts';
import type { Supervision } from './supervise.ts';

const never = new AbortController().signal;
const CHUNKS = 2;
/** Starting a thread eleven times may take this long on a busy machine. */
const LIVES_MS = 100_000;
/** This is longer than any test lasts. */
const LONG_MS = 600_000;

describe('search threads', () => {
  let opened: TestDatabase;
  let library: Library;
  let collection: string;
  let data: Supervision['data'];
  let running: ReturnType<typeof startSearchThreads>;

  before(async () => {
    const [sqlite] = DATABASES;
    opened = await must(sqlite).open();
    const organization = await insertOrganization(opened.db);
    library = libraryOn(opened, opened.kind, organization);
    collection = await library.addCollection();
    const connection = await library.addConnection(collection);
    await library.put(collection, connection, [
      { id: 'zebra', text: 'A zebra has stripes.' },
      { id: 'heron', text: 'A heron waits in the reeds.' },
    ]);
    data = {
      config: readConfig({ QUARRY_DATA_DIR: dirname(String(opened.url)) }),
      secret: 'a secret',
      model: loadModel(),
      federated: [],
      logTo: 'lines',
    };
  });
  afterEach(() => running.stop());
  after(() => library.close());

  /** This counts the threads that have been created. */
  let made: number;
  /** `configOf` returns the configuration of the n-th thread, counted from 0. */
  const start = (
    over: Partial<SearchThreadsOptions>,
    configOf: (n: number) => unknown = () => data.config,
  ) => {
    made = 0;
    const get = () => configOf(made++);
    running = startSearchThreads({
      ...measured(),
      data: Object.defineProperty({ ...data }, 'config', { enumerable: true, get }),
      log: pino({ level: 'silent' }),
      onGivenUp: (error) => assert.fail(error),
      maxThreads: 2,
      placesPerThread: 5,
      idleMs: LONG_MS,
      ...over,
    });
  };
  const request = () => ({
    organizationId: library.organizationId,
    collectionIds: [collection],
    principals: null,
    body: SearchBody.parse({ ...PLAIN, query: 'zebra' }),
  });
  const searches = (count: number) =>
    Promise.all(Array.from({ length: count }, () => running.search.search(request(), never)));
  /** Counts the copies of the chunks over all threads, and the wrong chunks in each finding. */
  const memory = async (repair = false) => {
    const { checked, problems } = await running.examine(
      { collectionId: collection, repair },
      never,
    );
    const wrong = problems.filter(({ kind }) => kind === 'wrong_memory');
    return { copies: checked.in_memory / CHUNKS, wrong: wrong.map(({ count }) => count) };
  };
  const searchUntilThereAre = (copies: number) =>
    until(async () => {
      await searches(20);
      return (await memory()).copies === copies || undefined;
    });

  /** Skips the waits before a dead thread starts again. No other wait is as long as these. */
  const hurry = (t: TestContext) => t.after(skipWaits(200).restore);

  it('another thread starts when searches have to wait, and it returns the same results', async () => {
    start({});
    for (let i = 0; i < 5; i++) await searches(2);
    assert.equal(made, 1);
    await searchUntilThereAre(2);
    assert.equal(made, 2);
    const [one, ...others] = (await searches(20)).map(({ results }) =>
      results.map(({ entity_id, score }) => ({ entity_id, score })),
    );
    assert.equal(one?.length, 2);
    for (const other of others) assert.deepEqual(other, one);
  });

  it('has places for searches in each thread that runs', async () => {
    start({});
    assert.equal(running.places(), 5);
    await searchUntilThereAre(2);
    assert.equal(running.places(), 10);
  });

  it('the other threads answer when the system refuses a further one, which is not tried again for each search', async () => {
    // Node throws for a configuration that cannot be sent to a thread, as it does when the system has no thread left.
    start({}, (n) => (n === 1 ? { refused() {} } : data.config));
    await until(async () => {
      assert.equal((await searches(20)).length, 20);
      return made > 1;
    });
    await searchUntilThereAre(2);
    assert.equal(made, 3);
  });

  const grep = (pattern: string) =>
    running.grep({ ...request(), body: GrepBody.parse({ pattern }) }, never);

  it('greps run in a thread of their own, which ends when it is idle', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    start({ maxThreads: 1 });
    assert.equal((await searches(1)).length, 1);
    assert.equal(made, 1);
    const { records } = await grep('str.pes');
    assert.deepEqual(
      records.map(({ entity_id, lines }) => [entity_id, lines]),
      [['zebra', [{ position: 0, line: 'A zebra has stripes.' }]]],
    );
    assert.equal(made, 2);
    await grep('heron');
    assert.equal(made, 2);
    await assert.rejects(grep('('), { status: 422, code: 'invalid' });
    for (let i = 0; i < 2; i++) t.mock.timers.tick(LONG_MS);
    assert.equal((await grep('reeds')).records.length, 1);
    assert.equal(made, 3);
  });

  it('the thread of greps runs until all greps are answered', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    start({ maxThreads: 1 });
    await searches(1);
    for (let i = 0; i < 3; i++) {
      await grep('heron');
      t.mock.timers.tick(LONG_MS);
    }
    assert.equal(made, 2);
    const slow = await library.addCollection();
    await library.put(
      slow,
      await library.addConnection(slow),
      Array.from({ length: 40 }, (_, i) => ({ id: `${i}`, text: 'a'.repeat(500) })),
    );
    const body = GrepBody.parse({ pattern: '(?:a?){300}[xy]' });
    const asked = running.grep(
      { ...request(), collectionIds: [slow], body },
      AbortSignal.timeout(30_000),
    );
    for (let i = 0; i < 3; i++) t.mock.timers.tick(LONG_MS);
    assert.ok((await asked).searched > 0);
    assert.equal(made, 2);
  });

  it('there are never more threads than maxThreads', async () => {
    start({ maxThreads: 1 });
    for (let i = 0; i < 10; i++) await searches(20);
    assert.equal(made, 1);
  });

  it('an additional thread ends when it is idle, and no search fails', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    start({});
    await searchUntilThereAre(2);
    for (let i = 0; i < 3; i++) {
      t.mock.timers.tick(LONG_MS);
      await searches(20);
    }
    t.mock.timers.tick(LONG_MS);
    assert.equal((await memory()).copies, 2);
    t.mock.timers.tick(LONG_MS);
    assert.equal((await memory()).copies, 1);
    assert.equal(made, 2);
    assert.equal((await searches(20)).length, 20);
  });

  it('an additional thread is not ended while it starts', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    start({});
    await searches(1);
    const asked = searches(20);
    assert.equal(made, 2);
    for (let i = 0; i < 3; i++) t.mock.timers.tick(LONG_MS);
    await asked;
    await searchUntilThereAre(2);
    assert.equal(made, 2);
  });

  it('an examination finds wrong chunks in the memory of every thread, and a repair empties these memories', async () => {
    start({});
    await searchUntilThereAre(2);
    const bodies = await opened.db
      .selectFrom('chunk_bodies')
      .select(['n', 'scale', 'vector'])
      .execute();
    const [one, other] = bodies;
    const { scale, vector } = must(other);
    await opened.db
      .updateTable('chunk_bodies')
      .set({ scale, vector })
      .where('n', '=', must(one).n)
      .execute();
    assert.deepEqual(await memory(true), { copies: 2, wrong: [2] });
    assert.deepEqual(await memory(), { copies: 0, wrong: [] });
    await searchUntilThereAre(2);
    assert.deepEqual((await memory()).wrong, []);
  });

  it('an additional thread that keeps dying is no longer used', async (t) => {
    hurry(t);
    let leftOut = 0;
    const write = (line: string) => {
      if (/left out/.test(line)) leftOut = JSON.parse(line).threads;
    };
    start({ log: pino({ level: 'error' }, { write }) }, (n) => (n === 0 ? data.config : undefined));
    await until(async () => {
      await searches(4);
      return leftOut > 0 || undefined;
    }, LIVES_MS);
    const lives = made;
    assert.equal(leftOut, 1);
    for (let i = 0; i < 5; i++) assert.equal((await searches(20)).length, 20);
    assert.equal((await memory()).copies, 1);
    assert.equal(made, lives);
  });

  // The thread starts eleven times in this test, as it does in the one above, which takes a third of the time of the file.
  if (!isFull) return;

  it('greps work again after their thread kept dying for a while', async (t) => {
    hurry(t);
    let isGivenUp = false;
    const write = (line: string) => {
      isGivenUp ||= /the next grep starts another one/.test(line);
    };
    start({ maxThreads: 1, log: pino({ level: 'error' }, { write }) }, (n) =>
      n === 0 || isGivenUp ? data.config : undefined,
    );
    await until(async () => {
      await assert.rejects(grep('heron'), { status: 503, retryAfter: 1 });
      return isGivenUp || undefined;
    }, LIVES_MS);
    assert.equal((await grep('heron')).records.length, 1);
    assert.equal((await searches(1)).length, 1);
  });
});
