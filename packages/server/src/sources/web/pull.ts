/**
 * Lists websites: visits the start addresses and what they lead to, and yields what is found. Every pull lists all pages,
 * an incremental one too, because conditional requests make unchanged pages cheap and only a whole listing shows which
 * pages are gone. Each host is a partition.
 *
 * A page that cannot be read may have links that are not known. Then pages of its site may be missing in the listing, so
 * nothing of the host is deleted. The links of a page that was read before are known, so it does no harm.
 */
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import {
  bookmark,
  checkpoint,
  fail,
  listed,
  lost,
  type SourceItem,
  skip,
  stub,
  upsert,
} from '../items.ts';
import type { Client } from './client.ts';
import type { WebConfig } from './config.ts';
import { createFollower, type Follower } from './follow.ts';
import { type Entry, Frontier, MAX_MAPS } from './frontier.ts';
import { emptyMemory, type Packed, pack, type Remembered, remembered, unpack } from './memory.ts';
import { MAX_LINKS } from './page.ts';
import { DOCUMENT, fileName, isNamedDocument, ofPage, PAGE } from './records.ts';
import { type Carry, openSite, type SiteContext } from './site.ts';
import { refuseStart } from './start.ts';
import { type Site, type Visit, versionOf, visit } from './visit.ts';

/** This many addresses are visited at the same time. */
const AHEAD = 4;
/** The first bookmark comes early, so that the first pages are soon found. Later ones come after a share of all pages. */
const FIRST_MARK = 10;
const MARK_SHARE = 0.05;
const MIN_PAGES_PER_MARK = 20;

export interface WebPull extends SiteContext {
  readonly config: WebConfig;
  readonly cursor: Packed | null;
  readonly lastCursor: Packed | null;
  readonly bookmark: unknown;
}

/** One pull: the site, what is known of it, and what was known of it before. */
interface Crawl {
  readonly site: Site;
  readonly frontier: Frontier;
  readonly before: ReadonlyMap<string, Remembered>;
  readonly follower: Follower;
}

export async function* pull(ctx: WebPull): AsyncGenerator<SourceItem, void, void> {
  const { config, cursor, signal } = ctx;
  const stop = new AbortController();
  const site = openSite({ ...ctx, signal: AbortSignal.any([signal, stop.signal]) });
  const limits = { maxPages: config.max_pages, maxDepth: config.max_depth };
  const frontier = new Frontier(
    limits,
    ctx.bookmark === null ? undefined : await unpack(ctx.bookmark),
  );
  for (const start of config.start_urls) frontier.add(start, { kind: 'start', depth: 0 });
  const before = await memoryOf(ctx, site.client, config.start_urls);
  const crawl = { site, frontier, before, follower: createFollower(site, frontier) };
  const mayGoOn = cursor === null;
  let marked = frontier.visited;
  let nextMark = marked + FIRST_MARK;
  try {
    for await (const { entry, visited } of visits(crawl)) {
      signal.throwIfAborted();
      yield* itemsOf(crawl, entry, visited);
      if (!mayGoOn || frontier.visited < nextMark) continue;
      yield bookmark(await pack(frontier.toBookmark()));
      marked = frontier.visited;
      nextMark = marked + Math.max(MIN_PAGES_PER_MARK, marked * MARK_SHARE);
    }
  } catch (error) {
    signal.throwIfAborted();
    // A site that asks to wait every few pages would otherwise never be read to its end.
    const isWait =
      error instanceof SourceError && ['rate_limited', 'transient'].includes(error.kind);
    if (mayGoOn && isWait && frontier.visited > marked)
      yield bookmark(await pack(frontier.toBookmark()));
    stop.abort(error);
    throw error;
  }
  for (const limit of frontier.cut) yield skip(`limit:${limit}`, PAGE, LIMITS[limit] ?? PAGES);
  for (const host of site.scope.hosts) if (!frontier.incomplete.has(host)) yield listed(host);
  yield checkpoint(await pack(frontier.toMemory()));
}

const PAGES: Omission = {
  reason: 'beyond the limit of pages',
  detail: 'the site has more pages than max_pages',
  hint: 'Raise max_pages, or name the parts of the site in include.',
};
const LIMITS: Readonly<Record<string, Omission>> = {
  depth: {
    reason: 'beyond the limit of depth',
    detail: 'pages lie more links away from the start addresses than max_depth',
    hint: 'Raise max_depth, or give a start address that is nearer to them.',
  },
  links: { reason: 'beyond the limit of links', detail: `a page has over ${MAX_LINKS} links` },
  sitemaps: { reason: 'beyond the limit of sitemaps', detail: `there are over ${MAX_MAPS}` },
};

/**
 * Returns what the last crawl knew. Links that robots.txt forbade are not in it, so it is of no use once the rules have
 * changed.
 */
async function memoryOf(
  { lastCursor }: WebPull,
  client: Client,
  starts: readonly string[],
): Promise<ReadonlyMap<string, Remembered>> {
  const last = (lastCursor === null ? undefined : await unpack(lastCursor)) ?? emptyMemory;
  const startOrigins = new Set(starts.map((start) => new URL(start).origin));
  const isSame = async (origin: string): Promise<boolean> => {
    try {
      const { digest } = await client.robots(origin);
      return (last.robots[origin] ?? digest) === digest;
    } catch (error) {
      if (startOrigins.has(origin)) throw error;
      // The visits of this host will fail as well, and are reported then.
      return true;
    }
  };
  const origins = new Set([...startOrigins, ...Object.keys(last.robots)]);
  const are = await Promise.all([...origins].map(isSame));
  return are.every(Boolean) ? remembered(last) : new Map();
}

interface Visited {
  readonly entry: Entry;
  readonly visited: Visit;
}

/** Visits several addresses at the same time, and yields them in the order of the frontier. */
async function* visits({ site, frontier, before }: Crawl): AsyncGenerator<Visited, void, void> {
  const ahead: { readonly entry: Entry; readonly visiting: Promise<Visit> }[] = [];
  for (;;) {
    while (ahead.length < AHEAD) {
      const entry = frontier.take();
      if (!entry) break;
      const visiting = visit(site, entry, usable(before.get(entry.address), entry));
      // The error is thrown when its turn comes; until then Node must not take it for unhandled.
      visiting.catch(() => {});
      ahead.push({ entry, visiting });
    }
    const first = ahead.shift();
    if (!first) return;
    yield { entry: first.entry, visited: await first.visiting };
  }
}

/** The links of a page that were too deep then were not kept, so they are missing when the page is nearer now. */
const usable = (last: Remembered | undefined, { kind, depth }: Entry): Remembered | undefined =>
  last && (kind === 'leaf' || last.cutAt === null || depth >= last.cutAt) ? last : undefined;

async function* itemsOf(
  crawl: Crawl,
  entry: Entry,
  visited: Visit,
): AsyncGenerator<SourceItem, void, void> {
  const { site, frontier, follower } = crawl;
  const { address } = entry;
  if (entry.kind === 'start') refuseStart(address, visited);
  if (visited.is !== 'failed')
    frontier.robots[new URL(address).origin] = (await site.client.robots(address)).digest;
  switch (visited.is) {
    case 'list':
      return yield* follower.list(entry, visited.list);
    case 'moved':
      return follower.move(entry, visited.to);
    case 'gone':
      return follower.gone(entry);
    case 'textless':
      return follower.none(entry);
    case 'failed':
      return yield* failedItems(crawl, entry, visited.error);
    case 'denied':
    case 'forbidden':
    case 'omitted':
      follower.none(entry);
      return yield skip(address, typeOf(address), omissionOf(visited));
    default:
      return yield* foundItems(crawl, entry, visited);
  }
}

/** The address says of what type a record is that is not read. */
const typeOf = (address: string): string => (isNamedDocument(address) ? DOCUMENT : PAGE);

const NOT_INDEXED: Omission = { reason: 'not to be indexed, as it says itself' };

function omissionOf(visited: Visit & { is: 'denied' | 'forbidden' | 'omitted' }): Omission {
  if (visited.is === 'omitted') return visited.omission;
  if (visited.is === 'forbidden') return { reason: 'forbidden by robots.txt' };
  return { reason: 'may not be read', detail: `the server answered ${visited.status}` };
}

/** The page itself stays. Only links that are not known would make other pages look as if they were gone. */
async function* failedItems(
  { site, frontier, follower, before }: Crawl,
  entry: Entry,
  error: SourceError,
): AsyncGenerator<SourceItem, void, void> {
  const { address, kind } = entry;
  yield fail(address, typeOf(address), error);
  const last = before.get(address);
  if (last) await follower.again(entry, last);
  else follower.end(entry, 'none', { links: [] });
  if (last || kind === 'leaf') return;
  for (const host of kind === 'map' ? site.scope.hosts : [new URL(address).host]) {
    if (frontier.incomplete.has(host)) continue;
    frontier.incomplete.add(host);
    yield lost(host, error);
  }
}

type FoundVisit = Visit & { is: 'listed' | 'document' | 'unchanged' | 'page' };

async function* foundItems(
  { site, follower }: Crawl,
  entry: Entry,
  visited: FoundVisit,
): AsyncGenerator<SourceItem, void, void> {
  const { address, lastmod } = entry;
  const partition = new URL(address).host;
  const stubOf = (type: string, version: string, more: Partial<Carry> = {}) => {
    const carry: Carry = { site, lastmod, ...more };
    return stub(address, type, { version, partition, carry });
  };
  if (visited.is === 'listed') {
    follower.end(entry, 'record', { links: [] });
    return yield stubOf(typeOf(address), `lastmod ${visited.lastmod}`);
  }
  if (visited.is === 'page' && visited.isLikeMissing) return follower.gone(entry);
  const ending = await follower.found(entry, visited);
  if (ending === 'unindexed') return yield skip(address, typeOf(address), NOT_INDEXED);
  const { etag, modified } = visited.is === 'unchanged' ? visited.last : visited.validators;
  const version = versionOf({ etag, modified });
  if (ending === 'document') {
    // A server that sends no validators is asked for the whole document at each sync.
    const asked = version ?? `asked ${new Date().toISOString()}`;
    const type = visited.is === 'document' ? visited.type : '';
    return yield stubOf(DOCUMENT, asked, { name: fileName(address, type), modified });
  }
  if (ending !== 'record') return;
  if (visited.is !== 'page') return yield stubOf(PAGE, version ?? '');
  const entity = ofPage({ id: address, ...visited, lastmod });
  yield upsert(entity, { partition, ...(version !== undefined && { version }) });
}
