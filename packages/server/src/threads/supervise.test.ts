/**
 * Real threads really die in these tests: the search thread breaks when it receives something that is not a message,
 * and at its start when it has no configuration. The waits before each restart are recorded and skipped.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import pino from 'pino';
import { readConfig } from '../config.ts';
import { loadModel } from '../engines/embedder/model-file.ts';
import { measured } from '../test/measured.ts';
import { type SkippedWaits, skipWaits } from '../test/skip-waits.ts';
import { until } from '../test/until.ts';
import { type Supervision, superviseThread } from './supervise.ts';

/** All other waits in this process are shorter than this. */
const SHORTEST_MS = 200;

describe('a supervised thread', () => {
  let dir: string;
  let data: Supervision['data'];
  /** These are the waits before each restart. */
  let skipped: SkippedWaits;
  /** These are the numbers of deaths in a row that the log shows. */
  let deaths: number[];
  let now: number;

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-thread-'));
    const config = readConfig({ QUARRY_DATA_DIR: dir });
    data = { config, secret: 'a secret', model: loadModel(), federated: [], logTo: 'lines' };
  });
  after(() => rmSync(dir, { recursive: true }));
  beforeEach(() => {
    [deaths, now] = [[], 0];
    mock.method(performance, 'now', () => now);
    skipped = skipWaits(SHORTEST_MS);
  });
  afterEach(() => {
    skipped.restore();
    mock.restoreAll();
  });

  function supervise(over: Partial<Parameters<typeof superviseThread>[0]> = {}) {
    const givenUp: Error[] = [];
    const answered: unknown[] = [];
    let onDeath = 0;
    const thread = superviseThread({
      ...measured(),
      entry: 'search-thread',
      data,
      log: pino({ level: 'error' }, { write: (line) => deaths.push(JSON.parse(line).deaths) }),
      onMessage: (message) => answered.push((message as { id: number }).id),
      onDeath: async () => {
        onDeath++;
      },
      onGivenUp: (error) => givenUp.push(error),
      ...over,
    });
    return {
      thread,
      givenUp,
      /** Waits until the thread runs and answers. */
      async answers(id: number) {
        await until(async () => thread.send({ id, request: {} }) || undefined);
        await until(async () => answered.includes(id) || undefined);
      },
      async dies() {
        const before = onDeath;
        assert.equal(thread.send(null), true);
        await until(async () => onDeath > before || undefined);
      },
    };
  }

  it('is started again after each death, after a longer wait each time, until it was healthy for a while', async () => {
    const { thread, answers, dies, givenUp } = supervise();
    for (const age of [60_000, 10, 60_001]) {
      await answers(now);
      now += age;
      await dies();
    }
    await answers(now);
    assert.deepEqual([deaths, skipped.waits, givenUp], [[1, 2, 1], [200, 400, 200], []]);
    await thread.stop();
    assert.equal(thread.send('stop'), false);
    assert.equal(deaths.length, 3);
  });

  it('is given up after many deaths, each soon after its start', async () => {
    const broken = { ...data, config: undefined } as unknown as Supervision['data'];
    const { givenUp, thread } = supervise({ data: broken });
    // The thread is started eleven times, and on a busy machine each start takes seconds.
    await until(() => givenUp.length > 0);
    assert.deepEqual(deaths, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert.deepEqual(skipped.waits, [200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000]);
    assert.match(String(givenUp[0]?.message), /keeps dying/);
    assert.ok(givenUp[0]?.cause instanceof TypeError);
    assert.equal(thread.send('wake'), false);
    await thread.stop();
    assert.equal(givenUp.length, 1);
  });

  it('that the system refuses is started again after a wait, and its metrics end', async () => {
    let starts = 0;
    // Node throws for a configuration that cannot be sent to a thread, as it does when the system has no thread left.
    const config = () => (starts++ < 2 ? { refused() {} } : data.config);
    const { metrics, threadMetrics } = measured();
    const { thread, answers, givenUp } = supervise({
      metrics,
      threadMetrics,
      data: Object.defineProperty({ ...data }, 'config', { enumerable: true, get: config }),
    });
    assert.equal(thread.send({ id: 1, request: {} }), false);
    await answers(2);
    assert.deepEqual([deaths, skipped.waits, givenUp], [[1, 2], [200, 400], []]);
    await until(async () => (await metrics.quarry_threads.get()).values[0]?.value === 1);
    await thread.stop();
  });

  it('that the system keeps refusing is given up', async () => {
    const refused = { ...data, config: { refused() {} } } as unknown as Supervision['data'];
    const { givenUp, thread } = supervise({ data: refused });
    await until(() => givenUp.length > 0);
    assert.equal(deaths.length, 11);
    assert.match(String(givenUp[0]?.message), /keeps dying/);
    await thread.stop();
  });

  it('is given up when onDeath fails', async () => {
    const broken = new Error('the database is away');
    const { givenUp, thread, answers } = supervise({ onDeath: () => Promise.reject(broken) });
    await answers(1);
    thread.send(null);
    await until(async () => givenUp.length > 0 || undefined);
    assert.deepEqual([givenUp, skipped.waits], [[broken], []]);
    await thread.stop();
  });

  it('is started again only after onDeath has ended, and not after a stop', async () => {
    const goOn = Promise.withResolvers<void>();
    const died = Promise.withResolvers<void>();
    const { thread, answers, givenUp } = supervise({
      onDeath: () => {
        died.resolve();
        return goOn.promise;
      },
    });
    await answers(1);
    thread.send(null);
    await died.promise;
    assert.equal(thread.send({ id: 2, request: {} }), false);
    await thread.stop();
    goOn.resolve();
    await until(async () => skipped.waits.length > 0 || undefined);
    assert.equal(thread.send({ id: 2, request: {} }), false);
    assert.deepEqual([deaths, givenUp], [[1], []]);
  });
});
