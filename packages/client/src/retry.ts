/**
 * Sends a request again when the failure may pass. A 429 or 503 says that the request was not served, so every request
 * is sent again after it, except for a push that waits. After a broken connection or another failure of a proxy, only one whose repetition changes
 * nothing more (RFC 9110, 9.2.2).
 */
export type SendRequest = (request: Request) => Promise<Response>;

const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];
const UNAVAILABLE = 503;
const NOT_SERVED = [429, UNAVAILABLE];
const OF_PROXIES = [502, 504];
const FIRST_WAIT_MS = 500;
/** A longer Retry-After is left to the caller, who gets the answer. */
const LONGEST_WAIT_MS = 30_000;

export const retrying =
  (send: SendRequest, retries: number): SendRequest =>
  async (request) => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      const outcome = await send(isLast ? request : request.clone()).catch((error: unknown) => {
        if (isLast || request.signal.aborted || !IDEMPOTENT.includes(request.method)) throw error;
        return null;
      });
      const wait = outcome ? waitAfter(outcome, attempt) : backoff(attempt);
      if (outcome && (isLast || wait > LONGEST_WAIT_MS || !mayRepeat(request, outcome)))
        return outcome;
      await outcome?.body?.cancel();
      await pause(wait, request.signal);
    }
  };

const mayRepeat = (request: Request, { status }: Response): boolean => {
  if (status === UNAVAILABLE && mayBeStored(request)) return false;
  return (
    NOT_SERVED.includes(status) ||
    (OF_PROXIES.includes(status) && IDEMPOTENT.includes(request.method))
  );
};

/** A push that waits is answered by 503 when it is stored and still running. Only its key makes it safe to send it again. */
const mayBeStored = ({ url, headers }: Request): boolean =>
  new URL(url).searchParams.get('wait') === 'true' && !headers.has('idempotency-key');

const backoff = (attempt: number): number => FIRST_WAIT_MS * 2 ** attempt;

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). */
function waitAfter({ headers }: Response, attempt: number): number {
  const given = headers.get('retry-after');
  if (given === null) return backoff(attempt);
  const ms = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return Number.isNaN(ms) ? backoff(attempt) : Math.max(0, ms);
}

/** Rejects with the reason of the signal as soon as it aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
