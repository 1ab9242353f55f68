/** Why a model gave no answer that can be used, in words that hold no key. */
import { retryAfterOf } from '../../net/retry-after.ts';

export type FailureKind =
  | 'limited' // asks to come back later
  | 'broken' // an error of the server or of the line: another try may help
  | 'refused' // the request, the key or the model: another try would not help
  | 'late' // no answer in time
  | 'invalid'; // an answer of another form than asked for

export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly kind: FailureKind;
  /** Milliseconds, where the server says. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, message: string, retryAfter?: number) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

const LONGEST = 200;

/** What an answer with an error status means. `body` may be anything. */
export function statusFailure(
  status: number,
  body: string,
  headers: (name: string) => string | null | undefined,
  key: string | undefined,
): RemoteFailure {
  const message = `${status} ${scrubbed(messageIn(body), key)}`.trim();
  // Some say so of a quota that no waiting refills, too; the number of tries is bounded.
  if (status === 429 || status === 529 || status === 503)
    return new RemoteFailure(
      status === 429 ? 'limited' : 'broken',
      message,
      patienceOf(headers, Date.now()),
    );
  return new RemoteFailure(status >= 500 || status === 408 ? 'broken' : 'refused', message);
}

/** Milliseconds. OpenAI says it by `retry-after-ms` too, which is exact. */
function patienceOf(
  headers: (name: string) => string | null | undefined,
  now: number,
): number | undefined {
  const exact = Number(headers('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const seconds = retryAfterOf(headers, now);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** One short line in which no key stands. */
export function scrubbed(text: string, key: string | undefined): string {
  const clean = key ? text.replaceAll(key, '***') : text;
  // A provider shows a part of the key that it refuses.
  const masked = clean.replace(/\b(sk|pa)-[A-Za-z0-9_*-]{8,}/gi, '***');
  const line = masked.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** `{ error: { message } }`, `{ error }`, `{ message }` and `{ detail }` are in use; else nothing is said. */
function messageIn(body: string): string {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | undefined)?.message;
    for (const one of [inner, error, message, detail]) if (typeof one === 'string') return one;
    return '';
  } catch {
    // A page of a proxy: the status says as much.
    return '';
  }
}
