/**
 * An attempt is a signed POST and its outcome. The status of the answer decides whether the message is delivered.
 * Only the first KiB of the answer's body is read and stored; then the connection is closed. So an answer whose body is
 * long or slow costs little.
 */
import { storableText } from '../../model/storable.ts';
import type { Send } from '../../net/guarded-send.ts';
import { requestStatus } from '../../net/request.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import { refusalOf } from '../url.ts';
import { explain } from './failure.ts';
import { signedHeaders } from './sign.ts';

const KEPT_BYTES = 1024;

export interface AttemptDeps {
  /** This function connects only to allowed addresses. */
  readonly send: Send;
  readonly allowLoopback: boolean;
  /** The status must come within `deadlineMs`. After it, the body is read for at most `bodyMs`. */
  readonly deadlineMs: number;
  readonly bodyMs: number;
}

export interface DeliveryRequest {
  readonly messageId: string;
  readonly url: string;
  readonly body: string;
  /** The newest secret comes first. */
  readonly secrets: readonly string[];
}

export interface AttemptOutcome {
  readonly isDelivered: boolean;
  /** This is the status of the answer, or 0 when no answer came. */
  readonly status: number;
  readonly response: string;
  readonly error: string | null;
  /** The endpoint asks us to wait for this many seconds (the header Retry-After). */
  readonly retryAfter: number | undefined;
  /** The attempt began at `at`, in milliseconds since 1970, and took `durationMs` milliseconds. */
  readonly at: number;
  readonly durationMs: number;
}

/** Returns the outcome of an attempt that failed because of an error in this service. */
export const outcomeOfInternalError = (at: number): AttemptOutcome => ({
  isDelivered: false,
  status: 0,
  response: '',
  error: 'Nothing was sent: the service could not make this attempt.',
  retryAfter: undefined,
  at,
  durationMs: 0,
});

/**
 * Makes one attempt. Throws the reason of `signal` when `signal` aborts the attempt, because the outcome is unknown
 * then.
 */
export async function attempt(
  { send, allowLoopback, deadlineMs, bodyMs }: AttemptDeps,
  request: DeliveryRequest,
  { at, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<AttemptOutcome> {
  const started = performance.now();
  const outcome = (
    answer: Pick<AttemptOutcome, 'status' | 'response' | 'error' | 'retryAfter'>,
  ) => ({
    ...answer,
    isDelivered: answer.status >= 200 && answer.status < 300,
    at,
    durationMs: Math.round(performance.now() - started),
  });
  const failed = (error: string) =>
    outcome({ status: 0, response: '', error, retryAfter: undefined });
  const refusal = refusalOf(request.url, allowLoopback);
  if (refusal) return failed(`Nothing was sent: ${refusal}.`);
  const { messageId: id, body, secrets } = request;
  try {
    const { status, headers, text } = await requestStatus(send, new URL(request.url), {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Quarry-Webhooks',
        ...signedHeaders({ id, at, body }, secrets),
      },
      body,
      signal,
      deadlineMs,
      bodyMs,
      maxBytes: KEPT_BYTES,
    });
    return outcome({
      status,
      response: storableText(text),
      error: errorOf(status),
      retryAfter: retryAfterOf(headers, at),
    });
  } catch (error) {
    signal.throwIfAborted();
    return failed(explain(error, deadlineMs));
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return 'The endpoint answered with a redirect, and redirects are not followed.';
  return `The endpoint answered ${status}.`;
}
