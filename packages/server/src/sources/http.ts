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
import { SourceError } from '../errors.ts';
import type { HttpResponse } from '../net/guarded-send.ts';
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
/** The time runs from the request to the end of the answer. */
const DEADLINE_MS = 60_000;
/** RFC 9110, section 5.5, allows these characters in the value of a header. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;
const LARGEST_BYTES = 32 * 2 ** 20;
const MOST_REDIRECTS = 5;

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
  readonly retryAfter?: (headers: HttpResponse['headers'], now: number) => number | undefined;
}

interface HttpAnswer<T> {
  readonly value: T;
  readonly headers: HttpResponse['headers'];
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
    async json(request, schema) {
      const url = urlOf(base, request);
      const body = request.body === undefined ? null : JSON.stringify(request.body);
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await exchange(ctx, url, { headers, body }, service);
          return { value: parse(answer.text, schema, url), headers: answer.headers };
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

interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Makes one attempt, and returns the whole text of the answer behind redirects. */
async function exchange(
  ctx: HttpContext,
  url: URL,
  sent: SentRequest,
  service: HttpService,
): Promise<{ text: string; headers: HttpResponse['headers'] }> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), DEADLINE_MS);
  const signal = AbortSignal.any([ctx.signal, late.signal]);
  try {
    const answer = await follow(ctx, url, sent, signal);
    const text = await read(ctx, answer.body, url, answer.status < 300);
    if (answer.status >= 300) throw refusal(answer, url, service);
    return { text, headers: answer.headers };
  } catch (error) {
    if (late.signal.aborted)
      throw broken(url, `did not answer in full within ${DEADLINE_MS / 1000} s`);
    throw sourceErrorOf(error, url);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(
  ctx: HttpContext,
  url: URL,
  sent: SentRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  let at = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    ctx.meter.requests++;
    const method = sent.body === null ? 'GET' : 'POST';
    const headers = sent.body === null ? {} : { 'content-type': 'application/json' };
    const answer = await ctx.send(at, {
      method,
      headers: { ...headers, ...sent.headers },
      body: sent.body,
      signal,
    });
    const target = answer.status < 400 ? answer.headers.get('location') : null;
    if (target === null || answer.status < 300) return answer;
    await read(ctx, answer.body, at, false);
    const next = new URL(target, at);
    if (next.origin !== url.origin)
      throw new SourceError('fatal', `${nameOf(url)} redirects to ${next.origin}`);
    at = next;
  }
  throw new SourceError('fatal', `${nameOf(url)} redirects without an end`);
}

/**
 * Reads a body to its end, so that the connection can be used again; of a body that is not
 * wanted it reads only a little.
 */
async function read(
  { meter }: HttpContext,
  body: HttpResponse['body'],
  url: URL,
  isWanted: boolean,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    meter.bytes += piece.byteLength;
    if (bytes > LARGEST_BYTES)
      throw new SourceError('fatal', `${nameOf(url)} answered with over ${LARGEST_BYTES} bytes`);
    if (isWanted) pieces.push(piece);
    else if (bytes > 65_536) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse<T>(text: string, schema: z.ZodType<T>, url: URL): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Half an answer looks like this when the service did not say how long the answer is.
    throw broken(url, 'answered with a body that is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.');
  throw new SourceError('fatal', `${nameOf(url)} answered in an unknown form (${where})`);
}

function refusal({ status, headers }: HttpResponse, url: URL, service: HttpService): SourceError {
  const said = `${nameOf(url)} answered ${status}`;
  const now = Date.now();
  const retryAfter =
    retryAfterOf((name) => headers.get(name), now) ?? service.retryAfter?.(headers, now);
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

/** Turns any error of the network into a SourceError; a refusal on purpose is one already. */
function sourceErrorOf(error: unknown, url: URL): unknown {
  if (error instanceof SourceError) return error;
  const { cause } = error as Error;
  if (cause instanceof SourceError) return cause;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  return broken(url, `could not be read (${code ?? message})`, error);
}

const broken = (url: URL, what: string, cause?: unknown) =>
  new SourceError('transient', `${nameOf(url)} ${what}`, { cause });

/** The name leaves out the query, which may hold a secret. */
const nameOf = (url: URL) => `${url.origin}${url.pathname}`;
