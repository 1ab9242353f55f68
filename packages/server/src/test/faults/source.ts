/**
 * A source over a synthetic company, and everything that goes wrong with sources: listings that end
 * early, pages that repeat or change order, records that change, move or break while they are listed,
 * answers that come late, errors of every kind at any point, credentials that end.
 *
 * What a vendor's HTTP does (429 with either Retry-After, 500, half a body) reaches the engine as a
 * SourceError of some kind at some point of the stream: here it begins there. What lies below belongs
 * into this folder as a server, once sources have an HTTP client of their own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import {
  checkpoint,
  defineSource,
  fail,
  type Item,
  type LeftOut,
  listed,
  lost,
  remove,
  type Source,
  type Stub,
  secret,
  skip,
  stub,
  type Upsert,
  upsert,
} from '../../sources/define.ts';
import type { Random } from '../engines/random.ts';
import { type Company, type Doc, PARTS, toEntity } from './company.ts';

export interface Vendor {
  readonly company: Company;
  /** Of the pull that begins now. */
  readonly trouble: Trouble;
}

/** What goes wrong in one pull. All numbers are counts of items before it happens. */
export interface Trouble {
  readonly random: Random;
  readonly error: { readonly after: number; readonly kind: SourceErrorKind } | undefined;
  readonly slow: { readonly after: number; readonly ms: number } | undefined;
  readonly change: { readonly after: number; readonly happen: () => void } | undefined;
  /** Partitions that cannot be listed, or whose listing ends early without a word. */
  readonly lost: readonly string[];
  readonly cut: readonly string[];
  /** Shares of records. */
  readonly fails: number;
  readonly skips: number;
  readonly repeats: number;
  readonly isShuffled: boolean;
  /** Share of pages with a checkpoint behind them. */
  readonly checkpoints: number;
}

/** What the simulation is told of a pull, and where it may end a process. */
export interface Listener {
  /** A pull begins. */
  begin(key: string, part: string): Vendor;
  vendor(key: string): Vendor;
  /** A step. */
  pause(): Promise<void>;
  said(key: string, item: Item): void;
  answered(key: string, item: Upsert | LeftOut): void;
  ended(key: string): void;
  threw(key: string, kind: SourceErrorKind): void;
}

const PAGE = 4;
const Config = z.strictObject({ key: z.string(), part: z.string().default('all') });
const Cursor = z.object({ seq: z.number() });
type Pull = AsyncGenerator<Item, void, void>;

/** `feed` tells what has changed since a cursor; `shelf` tells versions, and contents when asked. */
export function companySources(listener: Listener): ReadonlyMap<string, Source> {
  return new Map([
    ['feed', companySource('feed', listener)],
    ['shelf', companySource('shelf', listener)],
  ]);
}

function companySource(shortName: 'feed' | 'shelf', listener: Listener): Source {
  const authorize = (vendor: Vendor, password: string) => {
    if (vendor.company.password !== password)
      throw new SourceError('auth', 'the token has expired');
  };
  return defineSource({
    shortName,
    name: shortName,
    description: 'A synthetic company.',
    labels: ['Test'],
    auth: { methods: ['direct'], fields: z.object({ password: secret('Password', 'Its own') }) },
    config: Config,
    ...(shortName === 'feed' && { cursor: Cursor }),
    entities: { Page: z.object({}), Ticket: z.object({}) },
    rateLimitLevel: null,

    async check() {
      await listener.pause();
    },

    async *pull({ config, credentials, cursor, signal, meter }) {
      const vendor = listener.begin(config.key, config.part);
      const { trouble } = vendor;
      let items = 0;
      try {
        meter.requests++;
        authorize(vendor, credentials.password);
        const all =
          shortName === 'shelf'
            ? listing(vendor, config.part, toStub)
            : cursor
              ? changes(vendor, config.part, cursor.seq)
              : listing(vendor, config.part, toUpsert);
        for (;;) {
          await listener.pause();
          if (trouble.slow?.after === items) await sleep(trouble.slow.ms, undefined, { signal });
          signal.throwIfAborted();
          if (trouble.change?.after === items) trouble.change.happen();
          if (trouble.error?.after === items)
            throw new SourceError(trouble.error.kind, 'the source broke off');
          const { value: item } = await all.next();
          if (!item) break;
          items++;
          listener.said(config.key, item);
          yield item;
        }
        listener.ended(config.key);
      } catch (error) {
        if (error instanceof SourceError) listener.threw(config.key, error.kind);
        throw error;
      }
    },

    async *hydrate({ config, signal }, stubs: readonly Stub[]) {
      const vendor = listener.vendor(config.key);
      for (const { id, type } of turned(stubs, vendor.trouble)) {
        await listener.pause();
        signal.throwIfAborted();
        const doc = vendor.company.docs.get(id);
        const item = doc
          ? (leftOut(doc, vendor.trouble) ?? toUpsert(vendor.company, doc))
          : fail(id, type, new SourceError('skip', 'it went in the meantime'));
        listener.answered(config.key, item);
        yield item;
      }
    },

    async *members({ config }) {
      await listener.pause();
      yield* listener.vendor(config.key).company.members;
    },
  });
}

/** Every partition to its end, and the list of them last. */
async function* listing(
  { company, trouble }: Vendor,
  part: string,
  toItem: (company: Company, doc: Doc) => Upsert | Stub,
): Pull {
  const start = company.seq;
  const { random } = trouble;
  for (const partition of turned(partsOf(part).toReversed(), trouble)) {
    const docs = [...company.docs.values()].filter((doc) => doc.partition === partition);
    const isCut = trouble.cut.includes(partition);
    const isLost = trouble.lost.includes(partition);
    for (const page of pagesOf(turned(docs, trouble))) {
      if ((isCut || isLost) && random.next() < 0.5) break;
      // As it stands by now: it may have changed since the page was asked for.
      for (const { id } of page) {
        const doc = company.docs.get(id);
        if (doc) yield leftOut(doc, trouble) ?? toItem(company, doc);
      }
      if (random.next() < trouble.checkpoints) yield checkpoint({ seq: 0 });
      if (random.next() < trouble.repeats)
        for (const doc of page) yield toItem(company, company.docs.get(doc.id) ?? doc);
    }
    if (isLost) yield lost(partition, new SourceError('skip', 'it cannot be listed'));
    else if (!isCut) yield listed(partition);
  }
  yield checkpoint({ seq: start });
}

async function* changes({ company, trouble }: Vendor, part: string, since: number): Pull {
  const parts = new Set<string>(partsOf(part));
  const changed = [...company.changes]
    .filter(([, seq]) => seq > since)
    .toSorted(([, a], [, b]) => a - b);
  for (const page of pagesOf(changed)) {
    for (let turn = 0; turn < 2; turn++) {
      for (const [id] of page) {
        const doc = company.docs.get(id);
        if (doc && parts.has(doc.partition)) yield leftOut(doc, trouble) ?? toUpsert(company, doc);
        else yield remove(id);
      }
      if (trouble.random.next() >= trouble.repeats) break;
    }
    yield checkpoint({ seq: page.at(-1)![1] });
  }
}

export const partsOf = (part: string): string[] =>
  PARTS.filter((one) => part === 'all' || one === part || one.startsWith(`${part}/`));

const toUpsert = (company: Company, doc: Doc): Upsert =>
  upsert(toEntity(company, doc), { partition: doc.partition, version: versionOf(doc) });
const toStub = (_company: Company, doc: Doc): Stub =>
  stub(doc.id, doc.type, versionOf(doc), doc.partition);
const versionOf = (doc: Doc) => `${doc.rev}.${doc.updatedAt}`;

function leftOut(doc: Doc, { random, fails, skips }: Trouble): LeftOut | undefined {
  const chance = random.next();
  if (chance < fails) return fail(doc.id, doc.type, new SourceError('skip', 'it is broken'));
  if (chance < fails + skips) return skip(doc.id, doc.type, 'it is too large');
  return undefined;
}

function* pagesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += PAGE) yield items.slice(i, i + PAGE);
}

/** In the order in which they come this time. */
function turned<T>(items: readonly T[], { isShuffled, random }: Trouble): T[] {
  const order = [...items];
  if (isShuffled)
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
  return order;
}
