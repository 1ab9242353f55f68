/** Says why a model gave no usable answer, in words that hold no key. */
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import type { TextAnswer } from '../../net/request.ts';
import { retryAfterOf } from '../../net/retry-after.ts';

export type FailureKind =
  | 'limited' // The server asks to come back later.
  | 'broken' // The server or the line has failed: another try may help.
  | 'refused' // The request, the key or the model is refused: another try would not help.
  | 'late' // No answer comes in time.
  | 'invalid'; // The answer has another form than asked for.

export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly kind: FailureKind;
  /** The wait is in milliseconds, where the server names one. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, message: string, retryAfter?: number) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

const LONGEST = 200;

/** Returns the failure that an answer with an error status means. */
export function statusFailure(
  { status, text, headers }: TextAnswer,
  key: string | undefined,
): RemoteFailure {
  const message = `${status} ${scrubbed(messageIn(text), key)}`.trim();
  // Some servers answer like this for a quota, too, which no waiting refills; the number of tries is limited.
  if (status === 429 || status === 529 || status === 503)
    return new RemoteFailure(
      status === 429 ? 'limited' : 'broken',
      message,
      patienceOf(headers, Date.now()),
    );
  return new RemoteFailure(status >= 500 || status === 408 ? 'broken' : 'refused', message);
}

/** Returns the wait in milliseconds. OpenAI sends `retry-after-ms`, too, which is exact. */
function patienceOf(headers: ResponseHeaders, now: number): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const seconds = retryAfterOf(headers, now);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Returns one short line without the key. */
export function scrubbed(text: string, key: string | undefined): string {
  const clean = key ? text.replaceAll(key, '***') : text;
  // A provider shows a part of the key that it refuses.
  const masked = clean.replace(/\b(sk|pa)-[A-Za-z0-9_*-]{8,}/gi, '***');
  const line = masked.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/**
 * Finds the message. `{ error: { message } }`, `{ error }`, `{ message }` and `{ detail }` are in use; any other
 * body gives an empty message.
 */
function messageIn(body: string): string {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | undefined)?.message;
    for (const one of [inner, error, message, detail]) if (typeof one === 'string') return one;
    return '';
  } catch {
    // The body is the page of a proxy; the status says as much.
    return '';
  }
}
