/** Explains why a model gave no usable answer. Messages must not contain the key. */
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import type { TextAnswer } from '../../net/request.ts';
import { retryAfterOf } from '../../net/retry-after.ts';

export type FailureKind =
  | 'limited' // The server asks us to try again later.
  | 'broken' // The server or the connection has failed: another attempt may help.
  | 'refused' // The request, the key or the model is refused: another attempt would not help.
  | 'late' // No answer comes in time.
  | 'invalid'; // The answer does not have the expected form.

export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly kind: FailureKind;
  /** This is the wait in milliseconds that the server asks for, if it asks for one. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, message: string, retryAfter?: number) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

const LONGEST_LINE = 200;

/** Returns the failure for an answer with an error status. */
export function statusFailure(
  { status, text, headers }: TextAnswer,
  key: string | undefined,
): RemoteFailure {
  const message = `${status} ${scrubbed(messageIn(text), key)}`.trim();
  // Some servers also answer like this when a quota is used up. Waiting does not help then, but the number of attempts
  // is limited.
  if (status === 429 || status === 529 || status === 503)
    return new RemoteFailure(
      status === 429 ? 'limited' : 'broken',
      message,
      waitOf(headers, Date.now()),
    );
  return new RemoteFailure(status >= 500 || status === 408 ? 'broken' : 'refused', message);
}

/** Returns the wait in milliseconds. OpenAI also sends `retry-after-ms`, which is more exact. */
function waitOf(headers: ResponseHeaders, now: number): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const seconds = retryAfterOf(headers, now);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Returns the text as one short line without the key. */
export function scrubbed(text: string, key: string | undefined): string {
  const clean = key ? text.replaceAll(key, '***') : text;
  // Some providers quote a part of a refused key.
  const masked = clean.replace(/\b(sk|pa)-[A-Za-z0-9_*-]{8,}/gi, '***');
  const line = masked.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/**
 * Finds the message in the body of an error. Servers use `{ error: { message } }`, `{ error }`, `{ message }` and `{
 * detail }`. Returns '' for any other body.
 */
function messageIn(body: string): string {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | undefined)?.message;
    for (const one of [inner, error, message, detail]) if (typeof one === 'string') return one;
    return '';
  } catch {
    // The body is not JSON, such as the page of a proxy. The status says enough.
    return '';
  }
}
