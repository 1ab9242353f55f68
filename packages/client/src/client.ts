/**
 * The client of Quarry's API. The paths, bodies and answers of its methods are those of `document.ts`, which is made from
 * the service's own description. This file adds what no description says: how errors are thrown, how lists and streams
 * are read to their end, and which requests are sent again. It uses only what Node.js, browsers, Deno, Bun and edge
 * runtimes have in common.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, operations, paths } from './document.ts';
import { retrying, type SendRequest } from './retry.ts';

export type QuarrySchemas = components['schemas'];
export type QuarryClient = Client<paths>;
export type AgenticEvent =
  operations['streamAgenticSearch']['responses'][200]['content']['text/event-stream'];
export type SyncJobEvent =
  operations['watchSourceConnectionJob']['responses'][200]['content']['text/event-stream'];

export interface QuarryClientOptions {
  /** The address of the service, such as http://127.0.0.1:8099. */
  readonly url: string;
  /** It may be missing where a cookie signs in, as on the pages of the service itself. */
  readonly apiKey?: string | undefined;
  /** Every request has these headers, such as X-Principals. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A request that has failed for a moment is sent again at most so many times; 2 when omitted. */
  readonly retries?: number;
  /** Sends a request; the runtime's own `fetch` when omitted. */
  readonly fetch?: SendRequest;
}

export function createQuarryClient(options: QuarryClientOptions): QuarryClient {
  // Some runtimes refuse `fetch` when it is called as the method of another object.
  const {
    url,
    apiKey,
    headers,
    retries = 2,
    fetch = (request) => globalThis.fetch(request),
  } = options;
  return createFetchClient<paths>({
    baseUrl: url,
    fetch: retrying(fetch, retries),
    headers: { ...headers, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
  });
}

/** One wrong value of a request. */
export interface QuarryFault {
  /** The place of the value in the request, such as ['body', 'config', 'path']. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The service has refused a request, or has failed. */
export class QuarryError extends Error {
  override readonly name: string = 'QuarryError';
  readonly status: number;
  /** A word that stays the same when the message changes, such as not_found. */
  readonly code: string;
  /** The log of the service names the request by it. */
  readonly requestId: string;
  readonly faults: readonly QuarryFault[];
  /** The service asks to wait for this number of seconds. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    more: Pick<QuarryError, 'status' | 'code' | 'requestId' | 'faults' | 'retryAfter'>,
  ) {
    super(message);
    this.status = more.status;
    this.code = more.code;
    this.requestId = more.requestId;
    this.faults = more.faults;
    this.retryAfter = more.retryAfter;
  }
}

/** Makes the error of an answer that is not ok. `body` is undefined or a text when a proxy has answered. */
export function errorOf(response: Response, body: unknown): QuarryError {
  const given = (typeof body === 'object' && body ? body : {}) as Partial<QuarrySchemas['Error']>;
  const { detail = '', code = 'unknown', request_id } = given;
  const faults = typeof detail === 'string' ? [] : detail;
  const text = typeof detail === 'string' ? detail : faults.map(({ msg }) => msg).join('; ');
  const seconds = Number(response.headers.get('retry-after'));
  return new QuarryError(text || `the service answered ${response.status} and gave no reason`, {
    status: response.status,
    code,
    requestId: request_id ?? response.headers.get('x-request-id') ?? '',
    faults,
    retryAfter: seconds > 0 ? seconds : null,
  });
}

/** A method of the client resolves with it. */
export interface QuarryAnswer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of an answer, or throws a QuarryError. */
export async function bodyOf<Data>(asked: Promise<QuarryAnswer<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok) throw errorOf(response, error);
  return data as Data;
}

/** Returns one page of a list, and how many items all pages have. Throws a QuarryError. */
export async function pageOf<Item>(
  asked: Promise<QuarryAnswer<readonly Item[]>>,
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const items = await bodyOf(asked);
  const { response } = await asked;
  return { items, total: Number(response.headers.get('x-total-count') ?? items.length) };
}

const PAGE = 100;

/** Yields every item of a list that takes `skip` and `limit`, page by page. */
export async function* itemsOf<Item>(
  read: (page: {
    readonly skip: number;
    readonly limit: number;
  }) => Promise<QuarryAnswer<readonly Item[]>>,
): AsyncGenerator<Item, void, undefined> {
  for (let skip = 0; ; skip += PAGE) {
    const { items, total } = await pageOf(read({ skip, limit: PAGE }));
    yield* items;
    if (items.length === 0 || skip + items.length >= total) return;
  }
}

/** Yields every page of a list that goes on `after` the value of `next`. */
export async function* pagesAfter<Page extends { readonly next: string | null }>(
  read: (page: { readonly after?: string; readonly limit: number }) => Promise<QuarryAnswer<Page>>,
): AsyncGenerator<Page, void, undefined> {
  for (let after: string | null | undefined; after !== null; ) {
    const page: Page = await bodyOf(
      read(after === undefined ? { limit: PAGE } : { after, limit: PAGE }),
    );
    yield page;
    after = page.next;
  }
}

/**
 * Yields the events of a stream, which was asked for with `parseAs: 'stream'`. The stream ends when the loop over the
 * events is left.
 */
export async function* eventsOf<Event>(
  asked: Promise<QuarryAnswer<unknown>>,
): AsyncGenerator<Event, void, undefined> {
  await bodyOf(asked);
  const { response } = await asked;
  const events = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  if (!events) return;
  try {
    for (;;) {
      const { value, done } = await events.read();
      if (done) return;
      yield JSON.parse(value.data) as Event;
    }
  } finally {
    await events.cancel();
  }
}
