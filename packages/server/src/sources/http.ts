/**
 * Sources read JSON from a service through this file. They only read, so every request may be repeated.
 *
 * Only a complete answer is used. An answer that breaks off, takes too long, is not JSON or has another shape is an
 * error: if it counted as a page with fewer records, the sweep would delete the missing ones. A request that fails in
 * the network is tried again a few times. When a service asks us to wait, this code waits for at most ten seconds; for
 * a longer wait the job is parked. Credentials are sent to one origin only, even when a redirect or a link to the next
 * page names another origin.
 *
 *   const http = openHttp(ctx, { baseUrl: 'https://api.example.com/v2', headers: { authorization } });
 *   const { value } = await http.json({ path: 'pages', query: { cursor } }, Page);
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import type { ResponseHeaders } from '../net/guarded-send.ts';
import {
  type GuardedRequest,
  RequestFailure,
  type RequestFault,
  readJson,
  request,
  type TextAnswer,
  withoutQuery,
} from '../net/request.ts';
import { retryAfterOf } from '../net/retry-after.ts';
import type { SourceContext } from './define.ts';

/** A request is tried this many times, the first attempt included. */
const ATTEMPTS = 4;
/**
 * This is the pause before the second attempt. It doubles before each later attempt, and a random part of up to a half
 * is added.
 */
const PAUSE_MS = 500;
/** This is the default of `patience`. */
const PATIENCE_S = 10;
const LIMITS = { deadlineMs: 60_000, maxBytes: 32 * 2 ** 20, redirects: 5 };
/** RFC 9110, section 5.5, allows these characters in the value of a header. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface HttpRequest {
  /**
   * This is a path below the base URL, or a whole URL of the same origin, such as a service's link to the next page.
   */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** If present, the request is a POST with this body as JSON. */
  readonly body?: unknown;
}

export interface HttpService {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * When the service asks us to wait for at most this many seconds, this code waits. Otherwise the request fails as
   * 'rate_limited', and the job waits. The default is 10.
   */
  readonly patience?: number;
  /** Returns the seconds to wait when a service sends them in other headers than Retry-After. */
  readonly retryAfter?: (headers: ResponseHeaders, now: number) => number | undefined;
}

interface HttpAnswer<T> {
  readonly value: T;
  readonly headers: ResponseHeaders;
}

export interface Http {
  /**
   * Throws a SourceError: 'auth' for 401; 'skip' for 403, 404, 410 and 451, which concern only the requested resource;
   * 'rate_limited' when the service asks us to wait; 'transient' when no attempt returned a complete answer; 'fatal'
   * for other failures, which would only repeat. Throws the reason of the signal when the signal aborts.
   */
  json<T>(request: HttpRequest, schema: z.ZodType<T>): Promise<HttpAnswer<T>>;
}

type HttpContext = Pick<SourceContext<unknown, unknown>, 'send' | 'meter' | 'signal'>;

/** Throws a SourceError 'auth' for credentials with characters that a header cannot contain. */
export function openHttp(ctx: HttpContext, service: HttpService): Http {
  const base = new URL(service.baseUrl.replace(/\/*$/, '/'));
  const headers = { accept: 'application/json', 'user-agent': 'Quarry', ...service.headers };
  // This check comes first, because the error of the library would quote the credentials.
  if (Object.values(headers).some((value) => !HEADER.test(value)))
    throw new SourceError('auth', 'the credentials have characters that cannot be sent');
  return {
    async json(asked, schema) {
      const url = urlOf(base, asked);
      const body = asked.body === undefined ? null : JSON.stringify(asked.body);
      const type = body === null ? {} : { 'content-type': 'application/json' };
      const sent = { headers: { ...type, ...headers }, body };
      for (let attempt = 1; ; attempt++) {
        try {
          return await exchange(ctx, url, { sent, schema, service });
        } catch (error) {
          ctx.signal.throwIfAborted();
          const wait = attempt < ATTEMPTS ? pauseAfter(error, attempt, service) : undefined;
          if (wait === undefined) throw error;
          await sleep(wait, undefined, { signal: ctx.signal });
        }
      }
    },
  };
}

/** Makes one attempt. */
async function exchange<T>(
  { send, meter, signal }: HttpContext,
  url: URL,
  asked: {
    readonly sent: Pick<GuardedRequest, 'headers' | 'body'>;
    readonly schema: z.ZodType<T>;
    readonly service: HttpService;
  },
): Promise<HttpAnswer<T>> {
  try {
    const answer = await request(send, url, { ...asked.sent, ...LIMITS, signal, meter });
    if (answer.status >= 300) throw refusal(answer, url, asked.service);
    const { value, failure } = readJson(answer.text, asked.schema);
    if (failure) throw failure;
    return { value, headers: answer.headers };
  } catch (error) {
    throw error instanceof RequestFailure ? sourceErrorOf(error, url) : error;
  }
}

function refusal({ status, headers }: TextAnswer, url: URL, service: HttpService): SourceError {
  const message = `${withoutQuery(url)} answered ${status}`;
  const now = Date.now();
  const retryAfter = retryAfterOf(headers, now) ?? service.retryAfter?.(headers, now);
  if (status === 429 || (retryAfter !== undefined && (status === 403 || status >= 500)))
    return new SourceError('rate_limited', `${message}: it asks to wait`, {
      ...(retryAfter !== undefined && { retryAfter }),
    });
  if (status === 401)
    return new SourceError('auth', `${message}: the credentials are refused or have expired`);
  if ([403, 404, 410, 451].includes(status)) return new SourceError('skip', message);
  if (status >= 500 || status === 408 || status === 425)
    return new SourceError('transient', message);
  return new SourceError('fatal', message);
}

/** Returns the pause before the next attempt in milliseconds, or undefined when another attempt would not help. */
function pauseAfter(
  error: unknown,
  attempt: number,
  { patience = PATIENCE_S }: HttpService,
): number | undefined {
  if (!(error instanceof SourceError)) return undefined;
  if (error.kind === 'transient') return PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
  if (error.kind !== 'rate_limited') return undefined;
  const seconds = error.retryAfter ?? Number.POSITIVE_INFINITY;
  return seconds <= patience ? Math.ceil(seconds * 1000) : undefined;
}

function urlOf(base: URL, { path, query = {} }: HttpRequest): URL {
  const url = new URL(path, base);
  if (url.origin !== base.origin)
    throw new SourceError('fatal', `${base.origin} refers to ${url.origin} for more`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function sourceErrorOf({ fault, message, cause }: RequestFailure, url: URL): SourceError {
  // The message for an address that is not allowed is already complete.
  if (cause instanceof SourceError) return cause;
  const [kind, what] = WORDS[fault](message);
  return new SourceError(kind, `${withoutQuery(url)} ${what}`, { cause });
}

const WORDS: Readonly<Record<RequestFault, (message: string) => [SourceErrorKind, string]>> = {
  late: () => ['transient', `did not answer in full within ${LIMITS.deadlineMs / 1000} s`],
  broken: (message) => ['transient', `could not be read (${message})`],
  not_json: (message) => ['transient', `answered with ${message}`],
  form: (message) => ['fatal', `answered in ${message}`],
  too_large: (message) => ['fatal', `answered with ${message}`],
  redirected: (message) => ['fatal', message],
};
