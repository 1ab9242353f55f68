/**
 * Sources use HTTP through this file: they read JSON from one service. They only read, so
 * every request may be repeated.
 *
 * An answer counts only when it is whole: an answer that breaks off, takes too long, is not JSON or has another
 * shape never becomes a short page, from which deletions would follow. A request that breaks on the way is tried
 * again a few times. When a service asks for patience, the source waits here if the time is short, and otherwise
 * the job waits. Credentials go to only one origin, whatever a redirect or the link to a next page says.
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
  nameOf,
  RequestFailure,
  type RequestFault,
  readJson,
  request,
  type TextAnswer,
} from '../net/request.ts';
import { retryAfterOf } from '../net/retry-after.ts';
import type { SourceContext } from './define.ts';

/** A request is tried this many times, the first attempt included. */
const ATTEMPTS = 4;
/**
 * This pause comes before the second attempt. It doubles before each later one, and up
 * to half as much is added to it.
 */
const PAUSE_MS = 500;
/** The running job does not wait longer than this for a service, unless the service has a `patience` of its own. */
const PATIENCE_S = 10;
const LIMITS = { deadlineMs: 60_000, maxBytes: 32 * 2 ** 20, redirects: 5 };
/** RFC 9110, section 5.5, allows these characters in the value of a header. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface HttpRequest {
  /** The path is below the base URL, or it is a whole URL of the same origin, as services name next pages. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The body is sent as JSON by POST. */
  readonly body?: unknown;
}

export interface HttpService {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The source waits this many seconds when the service asks for patience; 10 is the default. */
  readonly patience?: number;
  /** Returns seconds when a refusal says in another way than by Retry-After when to ask again. */
  readonly retryAfter?: (headers: ResponseHeaders, now: number) => number | undefined;
}

interface HttpAnswer<T> {
  readonly value: T;
  readonly headers: ResponseHeaders;
}

export interface Http {
  /**
   * Throws a SourceError: 'auth' for 401; 'skip' for 403, 404, 410 and 451, which concern only the requested thing;
   * 'rate_limited' when the service asks for patience; 'transient' when no attempt brought a whole answer; 'fatal'
   * for a failure that repeating does not help. Throws the reason of the signal when the signal aborts.
   */
  json<T>(request: HttpRequest, schema: z.ZodType<T>): Promise<HttpAnswer<T>>;
}

type HttpContext = Pick<SourceContext<unknown, unknown>, 'send' | 'meter' | 'signal'>;

/** Throws a SourceError 'auth' for credentials that no header can carry. */
export function openHttp(ctx: HttpContext, service: HttpService): Http {
  const base = new URL(service.baseUrl.replace(/\/*$/, '/'));
  const headers = { accept: 'application/json', 'user-agent': 'Quarry', ...service.headers };
  // The error that the library throws instead would quote the credentials.
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
  const said = `${nameOf(url)} answered ${status}`;
  const now = Date.now();
  const retryAfter = retryAfterOf(headers, now) ?? service.retryAfter?.(headers, now);
  if (status === 429 || (retryAfter !== undefined && (status === 403 || status >= 500)))
    return new SourceError('rate_limited', `${said}: it asks to wait`, {
      ...(retryAfter !== undefined && { retryAfter }),
    });
  if (status === 401)
    return new SourceError('auth', `${said}: the credentials are refused or have expired`);
  if ([403, 404, 410, 451].includes(status)) return new SourceError('skip', said);
  if (status >= 500 || status === 408 || status === 425) return new SourceError('transient', said);
  return new SourceError('fatal', said);
}

/** Returns a pause in milliseconds, or undefined when trying again here would not help. */
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
  // An address that is not allowed is refused in words of its own.
  if (cause instanceof SourceError) return cause;
  const [kind, what] = WORDS[fault](message);
  return new SourceError(kind, `${nameOf(url)} ${what}`, { cause });
}

const WORDS: Readonly<Record<RequestFault, (message: string) => [SourceErrorKind, string]>> = {
  late: () => ['transient', `did not answer in full within ${LIMITS.deadlineMs / 1000} s`],
  broken: (message) => ['transient', `could not be read (${message})`],
  not_json: (message) => ['transient', `answered with ${message}`],
  form: (message) => ['fatal', `answered in ${message}`],
  too_large: (message) => ['fatal', `answered with ${message}`],
  redirected: (message) => ['fatal', message],
};
