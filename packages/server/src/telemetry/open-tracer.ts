/**
 * Makes the spans of one thread with the SDK of OpenTelemetry, and sends them to the collector. Each thread has a tracer
 * of its own. Nothing global of the SDK is used, because a program that embeds Quarry may use the SDK itself.
 *
 * A collector that is away or slow costs memory for at most MAX_WAITING spans, and no time of a request: further spans
 * are dropped. The metrics count what became of each span.
 */
import type { Logger } from 'pino';
import type { TraceSettings } from '../telemetry-settings.ts';
import { VERSION } from '../version.ts';
import type { Metrics } from './metrics.ts';
import { NO_TRACER, type Span, type SpanStart, type TraceContext, type Tracer } from './trace.ts';

const MAX_WAITING = 2048;
const BATCH = 512;
const DELAY_MS = 2000;
/** A batch is given up after this time. A stop waits for the last batches, so it takes no longer. */
const EXPORT_MS = 2000;

interface TracerDeps {
  readonly metrics: Pick<Metrics, 'quarry_trace_spans_total'>;
  readonly log: Logger;
}

/** Loads the SDK only when the settings name a collector. */
export async function openTracer(
  settings: TraceSettings | null,
  deps: TracerDeps,
): Promise<Tracer> {
  if (!settings) return NO_TRACER;
  const [api, { W3CTraceContextPropagator }, sdk, { resourceFromAttributes }, exporting] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': VERSION,
    }),
    sampler: samplerOf(sdk, settings),
    spanProcessors: [bounded(sdk, exporterOf(exporting, settings), deps)],
  });
  const tracer = provider.getTracer('quarry', VERSION);
  const propagator = new W3CTraceContextPropagator();
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  };

  function start(
    name: string,
    parent: OtelContext,
    { kind = 'internal', facts = {} }: SpanStart,
  ): Span {
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, parent);
    const within = trace.setSpan(ROOT_CONTEXT, span);
    return {
      traceId: span.spanContext().traceId,
      get context() {
        const carrier: Partial<Record<keyof TraceContext, string>> = {};
        propagator.inject(within, carrier, api.defaultTextMapSetter);
        return carrier as TraceContext;
      },
      isRecorded: span.isRecording(),
      begin: (child, how = {}) => start(child, within, how),
      note: (more) => void span.setAttributes(more),
      end(fault) {
        if (!span.isRecording()) return;
        if (fault !== undefined) {
          span.setAttribute('error.type', fault);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }

  return {
    begin: (name, { parent, ...how }) =>
      start(name, propagator.extract(ROOT_CONTEXT, parent ?? {}, api.defaultTextMapGetter), how),
    close: () =>
      provider
        .shutdown()
        .catch((err: unknown) => deps.log.warn({ err }, 'the last traces could not be sent')),
  };
}

type Sdk = typeof import('@opentelemetry/sdk-trace');
type OtelContext = import('@opentelemetry/api').Context;
type SpanExporter = import('@opentelemetry/sdk-trace').SpanExporter;
type SpanProcessor = import('@opentelemetry/sdk-trace').SpanProcessor;

function samplerOf(sdk: Sdk, { sampler, ratio }: TraceSettings) {
  const isByParent = sampler.startsWith('parentbased_');
  const own = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }[sampler.replace('parentbased_', '') as 'always_on' | 'always_off' | 'traceidratio']();
  return isByParent ? new sdk.ParentBasedSampler({ root: own }) : own;
}

const exporterOf = (
  { OTLPTraceExporter }: typeof import('@opentelemetry/exporter-trace-otlp-http'),
  { url, headers }: TraceSettings,
): SpanExporter =>
  new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_MS, concurrencyLimit: 8 });

/** Collects the spans into batches, and counts those that are sent, that are not, and that find no place. */
function bounded(sdk: Sdk, exporter: SpanExporter, { metrics, log }: TracerDeps): SpanProcessor {
  const count = metrics.quarry_trace_spans_total;
  let waiting = 0;
  let isAway = false;
  const batches = new sdk.BatchSpanProcessor({
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: 2 * EXPORT_MS,
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          const failed = result.code !== 0;
          count.inc({ outcome: failed ? 'failed' : 'sent' }, spans.length);
          if (failed && !isAway)
            log.warn(
              { err: result.error },
              'traces could not be sent: see whether the collector runs and takes OTLP over HTTP',
            );
          if (!failed && isAway) log.info('traces are sent again');
          isAway = failed;
          // Nobody else needs to know of a failure, and a stop must wait for the other batches, too.
          done({ code: 0 });
        });
      },
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
      async shutdown() {
        await exporter.forceFlush?.();
        await exporter.shutdown();
      },
    },
  });
  return {
    onStart() {},
    onEnd(span) {
      if (waiting >= MAX_WAITING) return void count.inc({ outcome: 'dropped' });
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
