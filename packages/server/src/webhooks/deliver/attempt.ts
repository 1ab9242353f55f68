/**
 * One attempt: a signed POST and what came of it. The status line is the answer; of the body the first KiB
 * is kept and then the line is cut, however much there is to come and however slowly.
 */

import type { HttpResponse, Send } from '../../net/guarded-send.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import { refusalOf } from '../url.ts';
import { NoAnswer, sentenceOf } from './failure.ts';
import { signedHeaders } from './sign.ts';

const KEPT_BYTES = 1024;

export interface AttemptDeps {
  /** Connects to addresses that are allowed and to no other. */
  readonly send: Send;
  readonly allowLoopback: boolean;
  /** Until there must be an answer, and its body after that. */
  readonly deadlineMs: number;
  readonly bodyMs: number;
}

export interface DeliveryRequest {
  readonly messageId: string;
  readonly url: string;
  readonly body: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

export interface AttemptOutcome {
  readonly isDelivered: boolean;
  /** 0 without an answer. */
  readonly status: number;
  readonly response: string;
  readonly error: string | null;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** When it began, and how long it took, in milliseconds. */
  readonly at: number;
  readonly durationMs: number;
}

/** Of one that could not be made because of this service. */
export const notMade = (at: number): AttemptOutcome => ({
  isDelivered: false,
  status: 0,
  response: '',
  error: 'Nothing was sent: the service could not make this attempt.',
  retryAfter: undefined,
  at,
  durationMs: 0,
});

/** Throws the reason of `signal` when that aborts it: nothing is known of its outcome then. */
export async function attempt(
  { send, allowLoopback, deadlineMs, bodyMs }: AttemptDeps,
  letter: DeliveryRequest,
  at: number,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const started = performance.now();
  const outcome = (what: Pick<AttemptOutcome, 'status' | 'response' | 'error' | 'retryAfter'>) => ({
    ...what,
    isDelivered: what.status >= 200 && what.status < 300,
    at,
    durationMs: Math.round(performance.now() - started),
  });
  const failed = (error: string) =>
    outcome({ status: 0, response: '', error, retryAfter: undefined });
  const refusal = refusalOf(letter.url, allowLoopback);
  if (refusal) return failed(`Nothing was sent: ${refusal}.`);
  const ending = new AbortController();
  const deadline = setTimeout(() => {
    ending.abort(new NoAnswer(`The endpoint did not answer within ${deadlineMs / 1000} seconds.`));
  }, deadlineMs);
  const { messageId: id, body, secrets } = letter;
  try {
    const answer = await send(new URL(letter.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Quarry-Webhooks',
        ...signedHeaders({ id, at, body }, secrets),
      },
      body,
      signal: AbortSignal.any([ending.signal, signal]),
    });
    clearTimeout(deadline);
    const response = await beginningOf(answer.body, () => ending.abort(), bodyMs);
    return outcome({
      status: answer.status,
      response,
      error: errorOf(answer.status),
      retryAfter: retryAfterOf((name) => answer.headers.get(name), at),
    });
  } catch (error) {
    signal.throwIfAborted();
    return failed(sentenceOf(error));
  } finally {
    clearTimeout(deadline);
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'The endpoint redirects, which is not followed.';
  return `The endpoint answered ${status}.`;
}

/** What came until it broke off is what there is: the answer has been given before. */
async function beginningOf(
  body: HttpResponse['body'],
  cut: () => void,
  ms: number,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const timer = setTimeout(cut, ms);
  try {
    for await (const piece of body ?? []) {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes >= KEPT_BYTES) break;
    }
  } catch {
    // Cut by us or by the endpoint, which makes no difference to the outcome.
  } finally {
    clearTimeout(timer);
    cut();
  }
  return textOf(Buffer.concat(pieces).subarray(0, KEPT_BYTES));
}

/** A character that was cut in half, and NUL, which no database keeps, are left out. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
