/**
 * These are the spans of traces, as all code sees them. Nothing of OpenTelemetry is loaded here: `open-tracer.ts` does
 * that where a collector is set, and everywhere else spans are NO_SPAN, which does nothing.
 *
 * A span is a parameter like any other. It has no text of callers or sources: no query, key, cookie, body, address or
 * message of an error, because traces go to people who may not read records.
 */

/** These are the headers of W3C Trace Context, by which another service or a job goes on with a trace. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** A server span answers a caller, a client span asks another service, and a consumer span does the work of a queue. */
  readonly kind?: 'server' | 'client' | 'consumer' | 'internal';
  readonly facts?: SpanFacts;
}

export interface Span {
  /** It is null where nothing is traced. */
  readonly traceId: string | null;
  /** Others go on with the trace by this. It is null where nothing is traced. */
  readonly context: TraceContext | null;
  /** It is false when the trace is left out of the sample. */
  readonly isRecorded: boolean;
  begin(name: string, start?: SpanStart): Span;
  note(facts: SpanFacts): void;
  /** A fault is a word, such as a status or a code; it marks the span as failed. A second call does nothing. */
  end(fault?: string): void;
}

export interface Tracer {
  /** Begins a trace, or goes on with that of the parent. A parent of a wrong form is ignored. */
  begin(name: string, start: SpanStart & { readonly parent: Partial<TraceContext> | null }): Span;
  /** Sends what has ended. It takes about two seconds at most, and never throws. */
  close(): Promise<void>;
}

export const NO_SPAN: Span = {
  traceId: null,
  context: null,
  isRecorded: false,
  begin: () => NO_SPAN,
  note() {},
  end() {},
};

export const NO_TRACER: Tracer = { begin: () => NO_SPAN, close: async () => {} };

/** A job and a thread get this from the request that has caused their work. */
export interface Cause {
  readonly requestId: string;
  readonly trace: TraceContext | null;
}

/** A request to a thread or within one has the cause, unless no request of a caller is behind it. */
export interface Caused {
  readonly cause?: Cause;
}

/** Returns the fields by which the lines of a log belong to a request and to a trace. */
export const linesOf = (requestId: string | undefined, { traceId }: Pick<Span, 'traceId'>) => ({
  ...(requestId !== undefined && { reqId: requestId }),
  ...(traceId !== null && { trace_id: traceId }),
});

/** Does the work within a span of its own. The fault of an error is its code or its name, because messages have texts. */
export async function spanning<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(faultOf(error));
    throw error;
  }
}

export function faultOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return (
    ([code, name].find((word) => typeof word === 'string' && /^\w{1,64}$/.test(word)) as string) ??
    'error'
  );
}
