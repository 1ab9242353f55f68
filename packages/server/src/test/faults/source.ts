/**
 * Makes a source over a synthetic company, with everything that goes wrong with sources: listings that end early,
 * pages that repeat or change order, records that change, move or break while they are listed, answers that
 * come late, errors of every kind at any point, credentials that expire.
 *
 * Most companies are asked over HTTP (`online.ts`); the others answer directly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { push } from '../../sources/catalog/push.ts';
import { defineSource, type Membership, type Source, secret } from '../../sources/define.ts';
import {
  type BelowList,
  below,
  bookmark,
  type ChildRecord,
  checkpoint,
  fail,
  type LeftOut,
  listed,
  lost,
  remove,
  type SourceItem,
  type Stub,
  skip,
  stub,
  type Upsert,
  upsert,
} from '../../sources/items.ts';
import type { Random } from '../random/random.ts';
import { same } from '../random/violation.ts';
import {
  type Company,
  type Doc,
  docOf,
  docsBelow,
  PARTS,
  regroup,
  showAgain,
  toEntity,
} from './company.ts';
import { type Asking, type Item, type Listing, type Online, TOKEN_URL } from './online.ts';

export interface Vendor {
  readonly company: Company;
  /** This goes wrong in the pull that begins now. */
  readonly trouble: Trouble;
}

/** Says what goes wrong in one pull. Each `after` is the number of items before it happens. */
export interface Trouble {
  readonly random: Random;
  readonly error:
    | {
        readonly after: number;
        readonly kind: SourceErrorKind;
        readonly retryAfter: { retryAfter?: number };
      }
    | undefined;
  readonly slow: { readonly after: number; readonly ms: number } | undefined;
  readonly change: { readonly after: number; readonly happen: () => void } | undefined;
  /** Partitions that cannot be listed (`lost`), or whose listing ends early without a message (`cut`). */
  readonly lost: readonly string[];
  readonly cut: readonly string[];
  /** These shares of the records fail, are skipped, or are repeated. */
  readonly fails: number;
  readonly skips: number;
  readonly repeats: number;
  readonly isShuffled: boolean;
  /** A checkpoint follows this share of the pages, and a bookmark follows this share of the partitions. */
  readonly checkpoints: number;
  readonly bookmarks: number;
  /** This share of the requests breaks, and this share of the other answers is spoiled on the way. */
  readonly online: number;
}

/** The simulation learns of a pull by these calls, and may end a process during them. */
export interface Listener {
  /** A pull begins. The later calls name it by the object `pull`. */
  begin(
    pull: object,
    from: { key: string; part: string; bookmark: number | undefined; hasCursor: boolean },
  ): Vendor;
  /** Returns the number of a new bookmark. */
  mark(): number;
  vendor(key: string): Vendor;
  /** Marks a step, at which the process may be stopped. */
  pause(): Promise<void>;
  said(pull: object, item: SourceItem): void;
  answered(pull: object, item: Upsert | LeftOut): void;
  answeredBelow(pull: object, item: BelowList | LeftOut): void;
  members(pull: object, members: readonly Membership[]): void;
  ended(pull: object): void;
  threw(pull: object, kind: SourceErrorKind): void;
  /** The source asked for a pause of so many seconds. */
  patience(pull: object, seconds: number): void;
  /** Runs a check that may throw a Violation. */
  check(look: () => void): void;
}

const PAGE = 2;
const Config = z.strictObject({ key: z.string(), part: z.string().default('all') });
const Cursor = z.object({ seq: z.number() });
/** `start` is the cursor from which an incremental pull may go on after this full pull. */
const Place = z.object({ mark: z.number(), start: z.number(), done: z.array(z.string()) });

interface Carry {
  readonly version: string;
}

interface Way {
  readonly toItem: (company: Company, doc: Doc) => Upsert | Stub;
  readonly place: z.infer<typeof Place> | undefined;
  readonly mark: () => number;
}

type Pull = Generator<SourceItem, void, void>;

/** `feed` lists what has changed since a cursor; `shelf` lists versions, and gives contents on request. */
export function companySources(listener: Listener, online: Online): ReadonlyMap<string, Source> {
  return new Map([
    ['feed', companySource('feed', listener, online)],
    ['shelf', companySource('shelf', listener, online)],
    [push.shortName, push],
  ]);
}

const tokenRequest = (key: string, password: string) => ({
  url: TOKEN_URL,
  form: { grant_type: 'client_credentials', client_id: key, client_secret: password },
});

function companySource(shortName: 'feed' | 'shelf', listener: Listener, online: Online): Source {
  async function* listen<T extends Item>(ctx: Asking, vendor: Vendor, all: Listing<T>) {
    ctx.meter.requests++;
    if (vendor.company.isOnline) yield* online.items(ctx, vendor, all);
    else if (vendor.company.password === ctx.credentials.password) yield* all;
    else throw new SourceError('auth', 'the token has expired');
  }

  async function* told<T>({ meter }: Asking, items: () => AsyncIterable<T>) {
    try {
      yield* items();
    } catch (error) {
      if (error instanceof SourceError) listener.threw(meter, error.kind);
      throw error;
    }
  }

  return defineSource({
    shortName,
    name: shortName,
    description: 'A synthetic company.',
    labels: ['Test'],
    auth: {
      direct: {
        fields: z.object({ password: secret('Password', 'Its own') }),
        sign:
          shortName === 'feed'
            ? { headers: ({ password }) => ({ authorization: password }) }
            : { token: ({ password }, { key }) => tokenRequest(key, password) },
      },
    },
    config: Config,
    ...(shortName === 'feed' && { cursor: Cursor, deletions: 'listed' as const }),
    entities: { Page: z.object({}), Ticket: z.object({}) },
    evidence: [],
    rateLimitLevel: null,

    async check() {
      await listener.pause();
    },

    async *pull(ctx) {
      const { config, cursor, bookmark: place, signal, meter } = ctx;
      const begun = place === null ? undefined : Place.parse(place);
      const vendor = listener.begin(meter, {
        ...config,
        bookmark: begun?.mark,
        hasCursor: cursor !== null,
      });
      const { trouble } = vendor;
      const list = (toItem: Way['toItem']) =>
        listing(vendor, config.part, { toItem, place: begun, mark: listener.mark });
      const all =
        shortName === 'shelf'
          ? list(toStub)
          : cursor
            ? (vendor.company.listsParts ? changedParts : changes)(vendor, config.part, cursor.seq)
            : list(toRecord);
      let items = 0;
      yield* told(ctx, async function* () {
        const from = begun?.start ?? cursor?.seq;
        if (from !== undefined && from < vendor.company.oldest)
          throw new SourceError('outdated', 'the source has forgotten this place');
        const heard = listen(ctx, vendor, all);
        for (;;) {
          await listener.pause();
          if (trouble.slow?.after === items) await sleep(trouble.slow.ms, undefined, { signal });
          signal.throwIfAborted();
          if (trouble.change?.after === items) trouble.change.happen();
          if (trouble.error?.after === items) {
            const { kind, retryAfter } = trouble.error;
            throw new SourceError(kind, 'the source broke off', retryAfter);
          }
          const { value: item } = await heard.next();
          if (!item) break;
          items++;
          listener.said(meter, item);
          yield item;
        }
      });
      listener.ended(meter);
    },

    async *hydrate(ctx, stubs: readonly Stub[]) {
      const vendor = listener.vendor(ctx.config.key);
      listener.check(() => {
        for (const { id, version, carry } of stubs)
          same(
            (carry as Carry | undefined)?.version,
            version,
            'what a stub carries comes back',
            id,
          );
      });
      yield* told(ctx, async function* () {
        for await (const item of listen(ctx, vendor, contents(vendor, stubs))) {
          await listener.pause();
          ctx.signal.throwIfAborted();
          listener.answered(ctx.meter, item);
          yield item;
        }
      });
    },

    async *below(ctx, stubs: readonly Stub[]) {
      const vendor = listener.vendor(ctx.config.key);
      yield* told(ctx, async function* () {
        for await (const item of listen(ctx, vendor, lists(vendor, stubs))) {
          await listener.pause();
          ctx.signal.throwIfAborted();
          listener.answeredBelow(ctx.meter, item);
          yield item;
        }
      });
    },

    async *members({ config, meter }) {
      await listener.pause();
      const { company, trouble } = listener.vendor(config.key);
      const { members } = company;
      listener.members(meter, members);
      yield* members;
      if (company.isRestless) regroup(company, trouble.random);
    },
  });
}

/** Lists every partition to its end, without those that the bookmark names as done. */
function* listing({ company, trouble }: Vendor, part: string, { toItem, place, mark }: Way): Pull {
  const start = place?.start ?? company.seq;
  const done = place?.done ?? [];
  const { random } = trouble;
  for (const partition of turned(partsOf(part).toReversed(), trouble)) {
    if (done.includes(partition)) continue;
    yield* partListing({ company, trouble }, partition, { toItem, from: 0 });
    done.push(partition);
    if (random.next() < trouble.bookmarks) yield bookmark({ mark: mark(), start, done: [...done] });
  }
  yield checkpoint({ seq: start });
}

interface PartWay extends Pick<Way, 'toItem'> {
  /** An attempt that begins at this change number yields the whole partition again. */
  readonly from: number;
}

/** Lists one partition, unless the trouble says that it cannot be listed, or that its listing ends early. */
function* partListing(
  { company, trouble }: Vendor,
  partition: string,
  { toItem, from }: PartWay,
): Pull {
  const { random } = trouble;
  const docs = [...company.docs.values()].filter((doc) => doc.partition === partition);
  const isCut = trouble.cut.includes(partition);
  const isLost = trouble.lost.includes(partition);
  for (const page of pagesOf(turned(docs, trouble))) {
    if ((isCut || isLost) && random.next() < 0.5) break;
    // A record is sent as it is now: it may have changed since the page was asked for.
    for (const { id } of page) {
      const doc = company.docs.get(id);
      if (doc) yield leftOut(doc, trouble) ?? toItem(company, doc);
    }
    if (random.next() < trouble.checkpoints) yield checkpoint({ seq: from });
    if (random.next() < trouble.repeats)
      for (const doc of page) yield toItem(company, company.docs.get(doc.id) ?? doc);
  }
  if (isLost) yield lost(partition, new SourceError('skip', 'it cannot be listed'));
  // A part that was lost stays so, even if a careless source says afterwards that it was listed.
  if (isLost ? random.next() < 0.3 : !isCut) yield listed(partition);
}

/** Lists whole each partition in which something has changed since then. */
function* changedParts(vendor: Vendor, part: string, since: number): Pull {
  const { company, trouble } = vendor;
  const { seq } = company;
  for (const partition of turned(partsOf(part), trouble))
    if ((company.partChanges.get(partition) ?? 0) > since)
      yield* partListing(vendor, partition, { toItem: toRecord, from: since });
  yield checkpoint({ seq });
}

function* changes({ company, trouble }: Vendor, part: string, since: number): Pull {
  const parts = new Set<string>(partsOf(part));
  const changed = [...company.changes]
    .filter(([, seq]) => seq > since)
    .toSorted(([, a], [, b]) => a - b);
  for (const page of pagesOf(changed)) {
    for (let turn = 0; turn < 2; turn++) {
      for (const [id] of page) {
        const doc = company.docs.get(id);
        if (doc && parts.has(doc.partition)) yield leftOut(doc, trouble) ?? toRecord(company, doc);
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
  upsert(toEntity(company, doc), { partition: doc.partition, version: versionOf(company, doc) });
const toRecord = (company: Company, doc: Doc): Upsert | Stub => {
  // Only a stub can say that there is something below it.
  if (company.hasBelow) return toStub(company, doc);
  return company.showsVersions
    ? toUpsert(company, doc)
    : { ...toUpsert(company, doc), version: null };
};
function toStub(company: Company, doc: Doc): Stub {
  const version = versionOf(company, doc);
  const carry: Carry = { version };
  const hasBelow = company.below.has(doc.id);
  return stub(doc.id, doc.type, { version, partition: doc.partition, carry, hasBelow });
}
/** A document below another one shows where that one is. */
const versionOf = (company: Company, doc: Doc) =>
  `v${company.changes.get(doc.id) ?? `${doc.rev} in ${doc.partition}`}`;

/** Yields the documents with these ids, in any order. */
function* contents({ company, trouble }: Vendor, stubs: readonly Stub[]) {
  for (const { id, type } of turned(stubs, trouble)) {
    const doc = docOf(company, id);
    yield doc
      ? (leftOutBelow({ company, trouble }, doc) ?? toUpsert(company, doc))
      : fail(id, type, new SourceError('skip', 'it went in the meantime'));
  }
}

/** Yields everything below the documents with these ids, in any order. */
function* lists(
  { company, trouble }: Vendor,
  stubs: readonly Stub[],
): Generator<BelowList | LeftOut> {
  for (const { id, type } of turned(stubs, trouble)) {
    const doc = company.docs.get(id);
    if (!doc) yield fail(id, type, new SourceError('skip', 'it went in the meantime'));
    else if (trouble.random.next() < trouble.fails)
      yield fail(id, type, new SourceError('skip', 'what is below it cannot be read'));
    else {
      const children = turned(docsBelow(company, doc), trouble).map(
        (child): ChildRecord =>
          leftOutBelow({ company, trouble }, child) ??
          (company.showsBelow ? toUpsert : toStub)(company, child),
      );
      yield below(id, children);
    }
  }
}

function leftOutBelow({ company, trouble }: Vendor, doc: Doc): LeftOut | undefined {
  const item = leftOut(doc, trouble);
  if (item?.kind === 'skip') showAgain(company, doc);
  return item;
}

function leftOut(doc: Doc, { random, fails, skips }: Trouble): LeftOut | undefined {
  const chance = random.next();
  if (chance < fails) return fail(doc.id, doc.type, new SourceError('skip', 'it is broken'));
  if (chance < fails + skips)
    return skip(doc.id, doc.type, { reason: doc.type === 'Page' ? 'too large' : 'of no use' });
  return undefined;
}

function* pagesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += PAGE) yield items.slice(i, i + PAGE);
}

/** Returns the items in the order in which the source lists them this time. */
function turned<T>(items: readonly T[], { isShuffled, random }: Trouble): T[] {
  const order = [...items];
  if (isShuffled)
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
  return order;
}
