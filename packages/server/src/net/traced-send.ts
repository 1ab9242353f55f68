/** Gives each request to another service a span, with the host and never the rest of the address, which may hold secrets. */
import { faultOf, type Span, type SpanFacts } from '../telemetry/trace.ts';
import type { Send } from './guarded-send.ts';

interface TracedRequests {
  readonly facts: SpanFacts;
  /** If true, the service is told the trace (traceparent), so that it can go on with it. */
  readonly tellsTrace?: boolean;
}

/** The span of a request ends with the head of its answer. */
export function tracedSend(
  send: Send,
  span: Span,
  { facts, tellsTrace = false }: TracedRequests,
): Send {
  if (span.context === null || !(span.isRecorded || tellsTrace)) return send;
  return async (url, request) => {
    const { method } = request;
    const client = span.begin(method, {
      kind: 'client',
      facts: { 'http.request.method': method, 'server.address': url.hostname, ...facts },
    });
    const headers = tellsTrace ? { ...request.headers, ...client.context } : request.headers;
    try {
      const answer = await send(url, { ...request, headers });
      const { status } = answer;
      client.note({ 'http.response.status_code': status });
      client.end(status >= 400 ? String(status) : undefined);
      return answer;
    } catch (error) {
      // An error of fetch has the reason in its cause.
      client.end(faultOf((error as Error).cause ?? error));
      throw error;
    }
  };
}
