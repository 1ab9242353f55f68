/** The threads of these tests are ports of this thread; test/telemetry/threads.test.ts has real ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import pino from 'pino';
import { measuredCall } from '../engines/measure.ts';
import { parseExposition, sampleOf } from '../test/telemetry/exposition.ts';
import { createMetrics, type Metrics, merged } from './metrics.ts';
import { collectThreads, reportMetrics, type ThreadMetrics } from './thread-metrics.ts';

const log = pino({ level: 'silent' });

describe('the metrics of threads', () => {
  let own: Metrics;
  let threads: ThreadMetrics;
  let ports: MessagePort[];
  beforeEach(() => {
    own = createMetrics();
    threads = collectThreads(own);
    ports = [];
  });
  afterEach(() => {
    for (const port of ports) port.close();
  });

  function startThread(within?: ThreadMetrics) {
    const metrics = createMetrics();
    const port = threads.open('search');
    const reporting = reportMetrics(port, metrics, { log, ...(within && { within }) });
    ports.push(port);
    return { metrics, port, reporting };
  }

  async function shown(name: string, labels: Record<string, string> = {}) {
    const others = await threads.snapshots();
    const text = await merged([await own.snapshot(), ...others]).metrics();
    return sampleOf(parseExposition(text), name, labels);
  }

  const DEGRADED = 'quarry_search_degraded_total';
  const option = 'rerank';

  it('are added up, and those of threads that a thread has started are among them', async () => {
    const inner = collectThreads(createMetrics());
    const [one, two] = [startThread(), startThread(inner)];
    const third = createMetrics();
    const port = inner.open('chunks');
    ports.push(port);
    reportMetrics(port, third, { log });
    one.metrics.quarry_search_degraded_total.inc({ option }, 1);
    two.metrics.quarry_search_degraded_total.inc({ option }, 2);
    third.quarry_search_degraded_total.inc({ option }, 4);
    assert.equal(await shown(DEGRADED, { option }), 7);
    assert.equal(await shown('quarry_threads', { thread: 'search' }), 2);
  });

  it('stay counted when their thread has ended, and what it held at the moment does not', async () => {
    const { metrics, port, reporting } = startThread();
    startThread().metrics.quarry_search_degraded_total.inc({ option }, 1);
    metrics.quarry_search_degraded_total.inc({ option }, 2);
    metrics.quarry_index_resident_bytes.set(1000);
    await reporting.flush();
    assert.equal(await shown('quarry_index_resident_bytes'), 1000);
    port.close();
    await once(port, 'close');
    for (const _ of [1, 2]) assert.equal(await shown(DEGRADED, { option }), 3);
    assert.equal(await shown('quarry_index_resident_bytes'), undefined);
    assert.equal(await shown('quarry_threads', { thread: 'search' }), 1);
  });

  it('are the last known ones while a thread is too busy to answer', async () => {
    const busy = startThread();
    busy.metrics.quarry_search_degraded_total.inc({ option }, 2);
    assert.equal(await shown(DEGRADED, { option }), 2);
    busy.port.removeAllListeners('message');
    busy.metrics.quarry_search_degraded_total.inc({ option }, 1);
    assert.equal(await shown(DEGRADED, { option }), 2);
  });

  it('of a model say what its newest call said, in whatever thread it was made', async () => {
    const about = { role: 'llm', model: 'openai/wise' } as const;
    const signal = new AbortController().signal;
    const inner = collectThreads(createMetrics());
    const [one, two] = [startThread(inner), startThread()];
    const third = createMetrics();
    const port = inner.open('chunks');
    ports.push(port);
    reportMetrics(port, third, { log });
    const call = (metrics: Metrics, answers: boolean) =>
      measuredCall(metrics, about, {
        signal,
        work: () => (answers ? Promise.resolve() : Promise.reject(new Error('no'))),
      }).catch(() => {});
    for (const [metrics, answers] of [
      [one.metrics, false],
      [two.metrics, true],
      [third, false],
      [one.metrics, true],
      [two.metrics, false],
    ] as const) {
      await call(metrics, answers);
      assert.equal(await shown('quarry_model_up', about), answers ? 1 : 0);
    }
  });

  it('are looked at without the steps of a scrape, which begin to measure peaks from the start', async () => {
    const inner = collectThreads(createMetrics());
    const outer = startThread(inner);
    const within = createMetrics();
    const port = inner.open('chunks');
    ports.push(port);
    reportMetrics(port, within, { log });
    let steps = 0;
    for (const metrics of [outer.metrics, within])
      metrics.beforeSnapshot(() => {
        steps++;
        metrics.quarry_thread_heap_bytes.set({ thread: 'search' }, steps);
      });
    await threads.snapshots('look');
    assert.equal(steps, 0);
    await threads.snapshots();
    assert.equal(steps, 2);
    await threads.snapshots('look');
    assert.equal(steps, 2);
    assert.equal(await shown('quarry_thread_heap_bytes', { thread: 'search' }), 7);
  });
});
