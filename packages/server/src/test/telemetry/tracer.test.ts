/** The tracer of a thread: what it takes from callers, what it samples, and what it does when the collector is away. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../config.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { openTracer } from '../../telemetry/open-tracer.ts';
import { NO_SPAN, NO_TRACER } from '../../telemetry/trace.ts';
import { must } from '../../util.ts';
import { freePort } from '../free-port.ts';
import { type Collector, openCollector } from './collector.ts';

const TRACE = 'a'.repeat(32);
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

async function open(env: Record<string, string>) {
  const metrics = createMetrics();
  const lines: { msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const tracer = await openTracer(readConfig(env).traces, { metrics, log });
  const counted = async () => {
    const { values } = await metrics.quarry_trace_spans_total.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  };
  return { tracer, lines, counted };
}

describe('a tracer', () => {
  let collector: Collector;
  before(async () => {
    collector = await openCollector();
  });
  after(() => collector.close());
  const toCollector = (env: Record<string, string> = {}) =>
    open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.address}/here`, ...env });

  it('is nothing without the address of a collector', async () => {
    const { tracer } = await open({ OTEL_TRACES_SAMPLER: 'always_on' });
    assert.equal(tracer, NO_TRACER);
    assert.equal(tracer.begin('a', { parent: { traceparent: PARENT } }), NO_SPAN);
  });

  it('sends what has ended when it is closed, to the address for traces', async () => {
    const { tracer, counted } = await toCollector();
    const span = tracer.begin('kept', { parent: { traceparent: PARENT } });
    span.begin('below').end('a_fault');
    span.end();
    tracer.begin('unfinished', { parent: null });
    await tracer.close();
    const names = collector.ofTrace(TRACE).map(({ name, failed, facts }) => [name, failed, facts]);
    assert.deepEqual(names, [
      ['below', true, { 'error.type': 'a_fault' }],
      ['kept', false, {}],
    ]);
    assert.equal(collector.arrivals.at(-1)?.url, '/here');
    assert.deepEqual(await counted(), { sent: 2 });
  });

  it('ignores a trace of a wrong form, and passes on one of a right form', async () => {
    const { tracer } = await toCollector();
    const hostile = [
      'nonsense',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `ff-${TRACE}-00f067aa0ba902b7-01`,
      `${PARENT}-more`,
      `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
      `${PARENT}\r\nx: y`,
      'a'.repeat(100_000),
    ];
    for (const traceparent of hostile) {
      const span = tracer.begin('own', { parent: { traceparent } });
      assert.notEqual(span.traceId, TRACE, traceparent.slice(0, 80));
      assert.match(must(span.context).traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    }
    const long = tracer.begin('a', {
      parent: { traceparent: PARENT, tracestate: 'a=b,'.repeat(400) },
    });
    assert.ok((long.context?.tracestate ?? '').length <= 512);
    const broken = tracer.begin('a', {
      parent: { traceparent: PARENT, tracestate: '\u0000=\u0001' },
    });
    assert.equal(broken.context?.tracestate ?? '', '');
    const right = tracer.begin('a', { parent: { traceparent: PARENT, tracestate: 'vendor=1' } });
    assert.equal(right.context?.tracestate, 'vendor=1');
    await tracer.close();
  });

  it('leaves traces out of the sample, and tells the services below so', async () => {
    const before = collector.spans.length;
    const { tracer, counted } = await toCollector({
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    const own = tracer.begin('own', { parent: null });
    assert.equal(own.isRecorded, false);
    assert.match(must(own.begin('below').context).traceparent, /-00$/);
    own.end();
    const notWanted = tracer.begin('a', { parent: { traceparent: PARENT.replace(/1$/, '0') } });
    notWanted.end();
    const wanted = tracer.begin('wanted', { parent: { traceparent: PARENT } });
    wanted.end();
    await tracer.close();
    assert.deepEqual(
      collector.spans.slice(before).map(({ name }) => name),
      ['wanted'],
    );
    assert.deepEqual(await counted(), { sent: 1 });
  });

  it('drops spans while the collector is away, says so once, and does not wait for it', async () => {
    const port = await freePort();
    const { tracer, lines, counted } = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    const begun = performance.now();
    for (let i = 0; i < 5000; i++) tracer.begin('a', { parent: null }).end();
    assert.ok(performance.now() - begun < 2000);
    const stopped = performance.now();
    await tracer.close();
    assert.ok(performance.now() - stopped < 4000);
    const { dropped = 0, failed = 0, sent } = await counted();
    assert.equal(sent, undefined);
    assert.equal(dropped + failed, 5000);
    assert.ok(dropped >= 5000 - 2048 - 512);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['traces could not be sent: see whether the collector runs and takes OTLP over HTTP'],
    );
  });

  it('stops after about two seconds when the collector does not answer', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { tracer } = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    });
    tracer.begin('a', { parent: null }).end();
    const stopped = performance.now();
    await tracer.close();
    const ms = performance.now() - stopped;
    silent.closeAllConnections();
    silent.close();
    assert.ok(ms > 1000 && ms < 4000, `${ms} ms`);
  });
});
