/** A collector of traces on this machine: it takes OTLP over HTTP with JSON, and keeps the spans. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../until.ts';

/** The kinds have these numbers in OTLP. */
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** It is empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly service: unknown;
}

export type Collector = Awaited<ReturnType<typeof openCollector>>;

export async function openCollector() {
  const spans: CollectedSpan[] = [];
  const arrivals: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  let text = '';
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    arrivals.push({ url: request.url ?? '', headers: request.headers });
    text += body;
    spans.push(...spansIn(JSON.parse(body)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const named = (name: string) => spans.find((span) => span.name === name);
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    arrivals,
    /** Returns everything that has arrived, as it was sent. */
    text: () => text,
    /** Waits for a span with this name. */
    span: (name: string) => until(() => named(name)),
    ofTrace: (traceId: string) => spans.filter((span) => span.traceId === traceId),
    close() {
      server.closeAllConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Draws the spans as a tree: one line for each, with two spaces more than the one above it, in the order of the names. */
export function treeOf(spans: readonly CollectedSpan[], parent: string, indent = ''): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, kind, spanId }) => [
      `${indent}${name} (${kind})`,
      ...treeOf(spans, spanId, `${indent}  `),
    ]);
}

function spansIn(body: any): CollectedSpan[] {
  assert.ok(Array.isArray(body.resourceSpans), 'the body is not one of OTLP');
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind],
        facts: factsOf(span.attributes),
        failed: span.status.code === 2,
        service: factsOf(resource.attributes)['service.name'],
      })),
    ),
  );
}

const factsOf = (attributes: readonly { key: string; value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
