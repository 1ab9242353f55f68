/** Reads a stream of Server-Sent Events, and connects again when the stream breaks. */
import { eventsOf as given, QuarryError } from 'quarry-client';
import { currentOrganization } from '../lib/organization.ts';
import { Refusal, refusalOf } from '../lib/refusal.ts';
import { hear } from '../lib/session-end.ts';

const LONGEST_WAIT_MS = 30_000;

interface EventsRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  /** With a body, the request is a POST. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Yields the events of one answer. Throws a Refusal. */
export async function* eventsOf<Event>({
  url,
  signal,
  body,
  headers,
}: EventsRequest): AsyncGenerator<Event> {
  const organization = currentOrganization();
  const response = await fetch(url, {
    signal,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
      accept: 'text/event-stream',
      ...(organization && { 'x-organization-id': organization }),
    },
  });
  // A proxy in between may answer with a page: then only the status says what is wrong.
  const error = response.ok ? undefined : await response.json().catch(() => undefined);
  try {
    yield* given<Event>(Promise.resolve({ error, response }));
  } catch (failure) {
    if (!(failure instanceof QuarryError)) throw failure;
    const refusal = refusalOf(failure);
    hear(refusal);
    throw refusal;
  }
}

/**
 * Calls `onEvent` with each event until it returns true, and connects again when the stream breaks, after 1, 2, 4 … 30
 * seconds, or when the service asks for it. Ends when the service refuses the request for good.
 */
export async function follow<Event>(
  asked: EventsRequest,
  onEvent: (event: Event) => boolean,
): Promise<void> {
  for (let failures = 0; !asked.signal.aborted; failures++) {
    let least = 0;
    try {
      for await (const event of eventsOf<Event>(asked)) {
        failures = 0;
        if (onEvent(event)) return;
      }
    } catch (error) {
      if (asked.signal.aborted) return;
      // A broken stream throws a TypeError; anything else is an answer of the service, or of a proxy before it.
      if (!(error instanceof TypeError) && !mayGoOn(error)) throw error;
      if (error instanceof Refusal) least = (error.retryAfter ?? 0) * 1000;
    }
    await pause(Math.max(least, Math.min(1000 * 2 ** failures, LONGEST_WAIT_MS)), asked.signal);
  }
}

/** After 401 somebody signs in again, and the stream goes on. */
const mayGoOn = (error: unknown): boolean =>
  error instanceof Refusal && (error.status >= 500 || [401, 429].includes(error.status));

/** Resolves after the milliseconds, or as soon as the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
