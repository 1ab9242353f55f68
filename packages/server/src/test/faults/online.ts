/**
 * Simulates a vendor that is asked over HTTP, with all errors of servers, rate limits and networks. The requests are
 * sent by the HTTP client of the service. This file divides the listing of a company into pages and reads the items
 * from the pages again, to check that each page either arrives as the vendor sent it or ends the pull.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { HttpResponse, Send } from '../../net/guarded-send.ts';
import { CONNECTION_DELETED } from '../../sign-in/keeper.ts';
import type { BelowList, ChildRecord, SourceItem } from '../../sources/items.ts';
import { type Http, type HttpContext, openHttp } from '../../sources/kit/http.ts';
import type { Random } from '../random/random.ts';
import { hold } from '../random/violation.ts';
import { pieces } from './pieces.ts';
import type { Listener, Vendor } from './source.ts';
import { createTokens } from './tokens.ts';

const BASE = 'https://company.example';
/** Here the company gives tokens for a password. */
export const TOKEN_URL = `${BASE}/token`;
const PAGE = 3;

export type Item = SourceItem | BelowList;
/** The vendor produces the items of a listing when a client asks for them. */
export type Listing<T extends Item> = Generator<T, void, void>;

/** A client reads a listing page by page. A client that asks again for the current page gets the same page. */
interface Session {
  readonly pull: object;
  readonly vendor: Vendor;
  readonly items: Listing<Item>;
  page: { readonly number: number; readonly text: string; readonly isLast: boolean } | undefined;
  /** The vendor may be asked again from this time of the monotonic clock on. */
  patientUntil: number;
  /** The vendor has answered that its address is another one, which no client follows. */
  isMoved: boolean;
  /** Counts the answers in a row that have refused the signature. */
  refusals: number;
}

export interface Online {
  readonly send: Send;
  /** Yields the items of the listing as they arrive through HTTP. */
  items<T extends Item>(ctx: Asking, vendor: Vendor, listing: Listing<T>): AsyncGenerator<T>;
}

export type Asking = HttpContext & {
  readonly credentials: { readonly password: string };
};

export function createOnline(
  listener: Pick<Listener, 'pause' | 'check' | 'patience' | 'vendor'>,
): Online {
  const sessions: Session[] = [];
  const tokens = createTokens(listener);

  const send: Send = async (url, { headers, signal, body: form }) => {
    if (url.href === TOKEN_URL)
      return tokens.issue(new URLSearchParams(String(form ?? '')), signal);
    const [, id, number] = /^\/sessions\/(\d+)\/(\d+)$/.exec(url.pathname)!;
    const session = sessions[Number(id)]!;
    const { company, trouble } = session.vendor;
    await listener.pause();
    signal.throwIfAborted();
    listener.check(() =>
      hold(
        performance.now() >= session.patientUntil,
        'a pause that the source asked for is kept',
        () => url.pathname,
      ),
    );
    const said = { date: new Date(Date.now() + company.skewMs).toUTCString() };
    const answer = (status: number, body = '', more = {}): HttpResponse => ({
      status,
      headers: new Headers({ ...said, ...more }),
      body: pieces([body]),
    });
    if (!tokens.isAllowed(company, headers.authorization)) {
      session.refusals++;
      return answer(401);
    }
    const isNew = session.refusals > 0;
    session.refusals = 0;
    if (trouble.random.next() < trouble.online) {
      // A token may end earlier than the vendor has said, but not the one after it at once.
      if (!isNew && headers.authorization?.startsWith('Bearer ') && trouble.random.next() < 0.25) {
        tokens.endAll(company);
        session.refusals++;
        return answer(401);
      }
      const broken = await breaks(session, trouble.random, { answer, signal });
      if (broken) return broken;
    }
    const text = pageOf(session, Number(number));
    const body =
      trouble.random.next() < trouble.online ? spoiled(text, trouble.random, signal) : null;
    return { ...answer(200), body: body ?? pieces([text]) };
  };

  async function breaks(
    session: Session,
    random: Random,
    {
      answer,
      signal,
    }: {
      answer: (status: number, body?: string, more?: object) => HttpResponse;
      signal: AbortSignal;
    },
  ): Promise<HttpResponse | undefined> {
    const how = random.next();
    if (how < 0.2) return answer(random.pick([500, 502, 503, 408]));
    if (how < 0.35) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    // This is longer than any client waits.
    if (how < 0.45) await sleep(10 * 60_000, undefined, { signal });
    if (how < 0.55) await sleep(1 + random.below(50_000), undefined, { signal });
    if (how < 0.58) return answer(200, JSON.stringify({ ok: false, error: 'busy' }));
    if (how < 0.62) {
      session.isMoved = true;
      return answer(302, '', { location: `/moved${random.below(9)}` });
    }
    if (how >= 0.9) return undefined;
    const seconds = random.pick([0, 1, 7, 10, 11, 90, 4000]);
    session.patientUntil = performance.now() + seconds * 1000;
    listener.patience(session.pull, seconds);
    if (how < 0.7) return answer(200, JSON.stringify({ ok: false, error: 'slow_down', seconds }));
    const status = random.pick([429, 429, 503, 403]);
    const { skewMs } = session.vendor.company;
    // A date in a header has whole seconds only, so it is rounded up in order not to be too early.
    const date = new Date(Math.ceil((Date.now() + skewMs) / 1000 + seconds) * 1000).toUTCString();
    return answer(status, '', { 'retry-after': random.pick([`${seconds}`, date]) });
  }

  return {
    send,
    async *items<T extends Item>(ctx: Asking, vendor: Vendor, listing: Listing<T>) {
      const session: Session = {
        pull: ctx.meter,
        vendor,
        items: listing,
        page: undefined,
        patientUntil: 0,
        isMoved: false,
        refusals: 0,
      };
      const id = sessions.push(session) - 1;
      const http = openHttp(ctx, { baseUrl: `${BASE}/sessions/${id}`, refusal });
      try {
        yield* read<T>(http);
      } catch (error) {
        if (error instanceof SourceError && error.kind === 'fatal')
          listener.check(() =>
            hold(
              session.isMoved || error.message === CONNECTION_DELETED,
              'a refusal that passes fails no job',
              () => error.message,
            ),
          );
        if (error instanceof SourceError && error.kind === 'auth')
          listener.check(() => {
            const isRight = vendor.company.password === ctx.credentials.password;
            hold(
              !isRight || session.refusals !== 1,
              'a token that has ended is renewed',
              () => error.message,
            );
          });
        throw error;
      }
      listener.check(() =>
        hold(session.page?.isLast, 'an answer arrives whole or not at all', () => `${id}`),
      );
    },
  };
}

/** This company also refuses in answers with status 200. */
function refusal({ body }: { readonly body: unknown }): SourceError | undefined {
  const { data } = Refusal.safeParse(body);
  if (!data) return undefined;
  return data.seconds === undefined
    ? new SourceError('transient', data.error)
    : new SourceError('rate_limited', data.error, { retryAfter: data.seconds });
}

const Refusal = z.object({
  ok: z.literal(false),
  error: z.string(),
  seconds: z.number().optional(),
});

/** The client reads every page to the last. */
async function* read<T extends Item>(http: Http): AsyncGenerator<T> {
  for (let page = 0; ; page++) {
    const { value } = await http.json({ path: String(page) }, Page);
    yield* value.items as T[];
    if (value.isLast) return;
  }
}

/** The server's side: returns a page of the listing. */
function pageOf(session: Session, number: number): string {
  if (session.page?.number === number) return session.page.text;
  const items: Item[] = [];
  let isLast = false;
  while (items.length < PAGE && !isLast) {
    const { value, done } = session.items.next();
    isLast = done === true;
    if (value) items.push(value);
  }
  const text = JSON.stringify({ items, isLast }, (_, value) =>
    value instanceof SourceError ? { kind: value.kind, message: value.message } : value,
  );
  session.page = { number, text, isLast };
  return text;
}

/**
 * Spoils an answer: half of it arrives, with or without an error; it arrives slowly; or something else arrives.
 * Returns null when the answer stays as it is.
 */
function spoiled(text: string, random: Random, signal: AbortSignal): HttpResponse['body'] {
  const half = text.slice(0, random.below(text.length));
  const how = random.next();
  if (how < 0.3) return pieces([half], new TypeError('terminated'));
  if (how < 0.55) return pieces([half]);
  if (how < 0.65) return pieces(['<html>Sign in to this network</html>']);
  if (how < 0.75) return pieces([half, text]);
  return slow([half, text.slice(half.length)], 1 + random.below(90_000), signal);
}

async function* slow(texts: readonly string[], ms: number, signal: AbortSignal) {
  for (const text of texts) {
    await sleep(ms, undefined, { signal });
    yield Buffer.from(text);
  }
}

const date = z.coerce.date();
const Page = z.object({ isLast: z.boolean(), items: z.array(z.unknown().transform(revived)) });

/** Restores the errors and dates that JSON does not keep. */
function revived(value: unknown): Item {
  const item = value as Item;
  if (item.kind === 'below')
    return { ...item, children: item.children.map((child) => revived(child) as ChildRecord) };
  if (item.kind === 'lost')
    return { ...item, error: new SourceError(item.error.kind, item.error.message) };
  if (item.kind !== 'upsert') return item;
  const { createdAt, updatedAt, ...entity } = item.entity;
  return {
    ...item,
    entity: {
      ...entity,
      ...(createdAt && { createdAt: date.parse(createdAt) }),
      ...(updatedAt && { updatedAt: date.parse(updatedAt) }),
    },
  };
}
