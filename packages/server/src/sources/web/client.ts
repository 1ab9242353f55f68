/**
 * Asks web servers, politely: few requests to a host at the same time, with the pause that its robots.txt asks for, and
 * with longer ones when it fails or asks to wait. Redirects are not followed here, because the next address must pass
 * the same rules as any other. The name of each host is judged where the connection is made (net/guarded-send.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { tooLargeOf } from '../../documents/kinds.ts';
import { SourceError } from '../../errors.ts';
import type { FileRef } from '../../model/entity.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import { RequestFailure, type RequestInto, requestInto, withoutQuery } from '../../net/request.ts';
import type { HeaderFields } from '../auth.ts';
import type { SourceContext } from '../define.ts';
import { downloadFile, LeftOutFile } from '../kit/file.ts';
import { basic } from '../kit/sign.ts';
import { ROBOT, type Robots, readRobots, robotsOf } from './robots.ts';
import { Trouble, troubleIn } from './trouble.ts';

export interface WebCredentials {
  readonly username: string;
  readonly password: string;
}

const ATTEMPTS = 4;
const PAUSE_MS = 500;
/** When a server asks to wait for longer than this, the job waits. */
const PATIENCE_S = 60;
const AT_ONCE = 2;
const PAGE_MS = 30_000;
const FILE_MS = 600_000;
/** After this many addresses of a host have failed one after the other, the host counts as broken. */
const MAX_FAILURES = 5;
/** RFC 9309, section 2.4: rules are not used for longer than a day. */
const ROBOTS_MS = 24 * 3600 * 1000;

export interface PageAnswer {
  readonly address: string;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  /** It is false when the body was not read, because `wants` refused it. */
  readonly isRead: boolean;
}

interface PageRequest {
  readonly conditions?: HeaderFields | undefined;
  /** Tells by the type of the content whether the body is read. */
  readonly wants: (type: string) => boolean;
  readonly maxBytes: number;
}

/**
 * Both functions throw a SourceError: 'skip' when only this address cannot be read; 'transient', 'rate_limited', 'auth'
 * and 'config' when the host cannot be read. Both throw LeftOutFile for a body that is too large.
 */
export interface Client {
  get(address: string, asked: PageRequest): Promise<PageAnswer>;
  file(address: string, name: string): Promise<FileRef>;
  robots(address: string): Promise<Robots>;
}

type ClientContext = Pick<
  SourceContext<unknown, unknown>,
  'send' | 'meter' | 'signal' | 'downloads'
> & { readonly credentials: WebCredentials | null; readonly startUrls: readonly string[] };

export function openClient(ctx: ClientContext): Client {
  const { send, meter, signal, credentials } = ctx;
  const signedOrigins = new Set(ctx.startUrls.map((start) => new URL(start).origin));
  const hosts = new Map<string, Host>();
  const robotsByOrigin = new Map<
    string,
    { readonly at: number; readonly robots: Promise<Robots> }
  >();

  const headersFor = (url: URL, more: HeaderFields = {}): HeaderFields => ({
    'user-agent': ROBOT,
    accept: 'text/html, application/xhtml+xml, */*;q=0.8',
    ...more,
    // Credentials go only where the person has sent us, and never to another host of the same site.
    ...(credentials &&
      signedOrigins.has(url.origin) &&
      basic(credentials.username, credentials.password)),
  });

  async function askRobots(origin: string): Promise<Robots> {
    const url = new URL(origin);
    const asked = { send, meter, signal, headers: headersFor(url) };
    try {
      return await patiently(url, () =>
        readRobots(origin, asked).catch(troubleOf(new URL('/robots.txt', url))),
      );
    } catch (error) {
      // More redirects than five count as if the file did not exist (RFC 9309, section 2.3.1.2).
      if (error instanceof RequestFailure) return robotsOf('');
      if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
      throw new SourceError(
        'transient',
        `${error.message}: until its rules are known, nothing is read`,
      );
    }
  }

  /** Tries until it succeeds or another attempt would not help. */
  async function patiently<T>(url: URL, attempt: () => Promise<T>): Promise<T> {
    const host = hostOf(url.host);
    for (let n = 1; ; n++) {
      signal.throwIfAborted();
      try {
        const result = await attempt();
        host.failures = 0;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Trouble)) throw error;
        await sleep(pauseAfter(host, error, n), undefined, { signal });
      }
    }
  }

  /** Returns milliseconds. Throws a SourceError when the host is not asked again. */
  function pauseAfter(host: Host, { message, wait, isLimit }: Trouble, attempt: number): number {
    if (wait !== undefined && wait > PATIENCE_S)
      throw new SourceError('rate_limited', message, { retryAfter: wait });
    if (attempt === ATTEMPTS) throw failureOf(host, message, isLimit);
    const pause = PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
    return Math.max(pause, (wait ?? 0) * 1000);
  }

  function failureOf(host: Host, message: string, isLimit: boolean): SourceError {
    if (isLimit) return new SourceError('rate_limited', message);
    return new SourceError(++host.failures >= MAX_FAILURES ? 'transient' : 'skip', message);
  }

  function hostOf(name: string): Host {
    const known = hosts.get(name);
    if (known) return known;
    const made: Host = { limit: pLimit(AT_ONCE), nextAt: 0, failures: 0 };
    hosts.set(name, made);
    return made;
  }

  async function robots(address: string): Promise<Robots> {
    const { origin } = new URL(address);
    const known = robotsByOrigin.get(origin);
    if (known && Date.now() - known.at < ROBOTS_MS) return known.robots;
    const asked = askRobots(origin);
    robotsByOrigin.set(origin, { at: Date.now(), robots: asked });
    return asked;
  }

  /** Sends one request when the host has room for it. */
  async function inTurn<T>(url: URL, ask: () => Promise<T>): Promise<T> {
    const host = hostOf(url.host);
    const { delayMs } = await robots(url.href);
    return patiently(url, () =>
      host.limit(async () => {
        if (delayMs > 0) {
          const now = Date.now();
          const at = Math.max(now, host.nextAt);
          host.nextAt = at + delayMs;
          if (at > now) await sleep(at - now, undefined, { signal });
        }
        return ask();
      }),
    );
  }

  async function exchange(
    url: URL,
    {
      conditions,
      wants = () => true,
      ...limits
    }: Partial<PageRequest> & Pick<RequestInto, 'maxBytes' | 'deadlineMs' | 'sink'>,
  ) {
    let isRead = true;
    const { status, headers } = await requestInto(send, url, {
      headers: headersFor(url, conditions),
      ...{ body: null, signal, meter, ...limits },
      wants(answer) {
        isRead = wants(typeOf(answer.headers));
        return isRead;
      },
    }).catch(troubleOf(url));
    const trouble = troubleIn({ status, headers }, withoutQuery(url));
    if (trouble) throw trouble;
    if (status === 401 && credentials && signedOrigins.has(url.origin))
      throw new SourceError('auth', `${withoutQuery(url)} refuses the user name and password`);
    return { status, headers, isRead };
  }

  return {
    robots,
    async get(address, asked) {
      const url = new URL(address);
      return inTurn(url, async () => {
        const pieces: Uint8Array[] = [];
        const answer = await exchange(url, {
          ...asked,
          deadlineMs: PAGE_MS,
          sink: async (piece) => {
            pieces.push(piece);
          },
        });
        return { address, ...answer, body: Buffer.concat(pieces) };
      });
    },
    async file(address, name) {
      const url = new URL(address);
      return downloadFile(ctx.downloads, { name }, (open) =>
        inTurn(url, async () => {
          const { status } = await exchange(url, {
            deadlineMs: FILE_MS,
            maxBytes: Number.POSITIVE_INFINITY,
            sink: await open(),
          });
          if (status >= 300)
            throw new SourceError('skip', `${withoutQuery(url)} answered ${status}`);
        }),
      );
    },
  };
}

interface Host {
  readonly limit: ReturnType<typeof pLimit>;
  /** The next request may begin at this time. */
  nextAt: number;
  failures: number;
}

/** Returns the media type without its parameters, or '' when the answer names none. */
export const typeOf = (headers: ResponseHeaders): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const troubleOf = (url: URL) => (error: unknown) => {
  if (error instanceof SourceError && error.kind === 'transient') throw new Trouble(error.message);
  if (!(error instanceof RequestFailure)) throw error;
  // The name of the host was refused, or a limit of the organization is reached.
  if (error.cause instanceof SourceError) {
    if (error.cause.kind === 'transient') throw new Trouble(error.cause.message);
    throw error.cause;
  }
  if (error.fault === 'too_large') throw new LeftOutFile(tooLargeOf('html'));
  if (error.fault === 'redirected') throw error;
  throw new Trouble(`${withoutQuery(url)} could not be read (${error.message})`);
};
