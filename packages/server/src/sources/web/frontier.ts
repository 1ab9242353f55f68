/**
 * The addresses of a crawl, in the order in which they were found, and how far it has come. Its size is bounded by the
 * limit of pages, so a site that makes up addresses without end does not fill the memory.
 *
 * There are three queues, which are emptied one after the other: pages with their links; leaves, which sitemaps and feeds
 * name; and second looks at pages that seemed to be gone. Answers are taken in the order of the queue, whichever comes
 * first, so that two crawls of an unchanged site find the same pages, also when a limit cuts them off.
 */
import {
  type EntryKind,
  emptyMemory,
  type KnownPage,
  type StoredMemory,
  toStored,
} from './memory.ts';

export interface Entry {
  readonly at: number;
  readonly address: string;
  readonly kind: EntryKind;
  readonly depth: number;
  /** The time of the last change that a sitemap names. */
  readonly lastmod: string | null;
  readonly isSecondLook: boolean;
}

export interface FrontierLimits {
  readonly maxPages: number;
  readonly maxDepth: number;
}

/** A site has at most this many sitemaps. */
export const MAX_MAPS = 1000;
/** Start addresses and those to which they redirect are visited in any case. */
const MAX_STARTS = 200;
const CRAWL = 0;
const LEAVES = 1;
const SECOND_LOOKS = 2;

type Stored = Pick<Entry, 'kind' | 'depth' | 'lastmod'>;

export class Frontier {
  readonly addresses: string[];
  readonly known: Map<number, KnownPage>;
  /** The rules of robots.txt by origin, as digests. */
  readonly robots: Record<string, string>;
  /** Pages of these hosts may have been missed, so nothing of them is deleted. */
  readonly incomplete: Set<string>;
  /** Limits that have cut something off. */
  readonly cut: Set<string>;
  private readonly limits: FrontierLimits;
  private readonly positions: Map<string, number>;
  private readonly entries: Stored[];
  /** The first link of a copy leads to the page that it is a copy of. */
  private readonly copies = new Map<number, number[]>();
  private readonly queues: number[][];
  /** So many of each queue have been visited, and so many taken. */
  private readonly done: number[];
  private readonly taken: number[];
  private queue = CRAWL;
  private pages = 0;
  private maps = 0;

  constructor(limits: FrontierLimits, from: StoredMemory = emptyMemory) {
    const { crawl } = from;
    this.limits = limits;
    this.addresses = [...from.addresses];
    this.positions = new Map(this.addresses.map((address, at) => [address, at]));
    this.known = new Map(
      from.known.map(([at, [ending, etag, modified, links, cutAt]]) => [
        at,
        { ending, etag, modified, links, cutAt },
      ]),
    );
    this.robots = { ...from.robots };
    this.entries = (crawl?.entries ?? []).map(([kind, depth, lastmod]) => ({
      kind,
      depth,
      lastmod,
    }));
    this.queues = crawl ? crawl.queues.map((queue) => [...queue]) : [[], [], []];
    this.done = crawl ? [...crawl.done] : [0, 0, 0];
    this.taken = [...this.done];
    this.incomplete = new Set(crawl?.incomplete);
    this.cut = new Set(crawl?.cut);
    for (const { kind } of this.entries) this.count(kind);
    if (crawl) for (const [at, known] of this.known) this.noteCopy(at, known);
  }

  /** Adds an address unless it is known or a limit forbids it. Returns its position, or undefined. */
  add(
    address: string,
    entry: { kind: EntryKind; depth: number; lastmod?: string | null },
  ): number | undefined {
    const { kind, depth, lastmod = null } = entry;
    const position = this.positions.get(address);
    if (position !== undefined) {
      this.raise(position, kind, depth);
      return position;
    }
    if (this.isTooDeep(depth)) return this.cutOff('depth');
    const isMap = kind === 'map';
    const maxPages = this.limits.maxPages + (kind === 'start' ? MAX_STARTS : 0);
    if (isMap ? this.maps >= MAX_MAPS : this.pages >= maxPages)
      return this.cutOff(isMap ? 'sitemaps' : 'pages');
    const at = this.addresses.push(address) - 1;
    this.positions.set(address, at);
    this.entries[at] = { kind, depth, lastmod };
    this.count(kind);
    this.queueOf(kind === 'leaf' ? LEAVES : CRAWL).push(at);
    return at;
  }

  isTooDeep = (depth: number): boolean => depth > this.limits.maxDepth;

  has = (address: string): boolean => this.positions.has(address);

  knownAt = (address: string): KnownPage | undefined =>
    this.known.get(this.positions.get(address) ?? -1);

  /** The address is visited again when everything else has been. */
  lookAgain({ at }: Entry): void {
    this.queueOf(SECOND_LOOKS).push(at);
  }

  /** This address is not a record, so the pages that say that it has their content are visited again. */
  visitCopiesOf({ at }: Entry): void {
    for (const copy of this.copies.get(at) ?? []) this.queueOf(CRAWL).push(copy);
    this.copies.delete(at);
  }

  /** Returns the next entry to visit, or undefined when those that were taken must be finished before. */
  take(): Entry | undefined {
    for (;;) {
      const isIdle = this.taken[this.queue] === this.done[this.queue];
      if (isIdle)
        this.queue = this.queues.findIndex((queue, n) => (this.taken[n] ?? 0) < queue.length);
      const { queue } = this;
      const n = this.taken[queue] ?? 0;
      const at = this.queues[queue]?.[n];
      if (at === undefined) {
        this.queue = Math.max(queue, CRAWL);
        return undefined;
      }
      // A leaf to which a page has a link was visited as a page.
      const isDone = queue === LEAVES && this.known.has(at);
      if (isDone && !isIdle) return undefined;
      this.taken[queue] = n + 1;
      if (!isDone) return this.entryAt(at, queue === SECOND_LOOKS);
      this.done[queue] = n + 1;
    }
  }

  /** The oldest of the taken entries has been visited. */
  finish({ at }: Entry, known: KnownPage): void {
    this.known.set(at, known);
    this.noteCopy(at, known);
    this.done[this.queue] = (this.done[this.queue] ?? 0) + 1;
  }

  get visited(): number {
    return this.done.reduce((sum, done) => sum + done, 0);
  }

  /** Returns what an attempt needs to go on here. */
  toBookmark(): StoredMemory {
    return {
      ...this.toMemory(true),
      crawl: {
        entries: this.entries.map(({ kind, depth, lastmod }) => [kind, depth, lastmod]),
        queues: this.queues,
        done: [...this.done],
        incomplete: [...this.incomplete],
        cut: [...this.cut],
      },
    };
  }

  /** Returns what the next crawl may use. */
  toMemory(withAll = false): StoredMemory {
    const { addresses, known, robots } = this;
    return {
      ...emptyMemory,
      addresses: [...addresses],
      robots: { ...robots },
      // Without a validator, a page is asked for as if it were new.
      known: [...known]
        .filter(([, { etag, modified }]) => withAll || etag !== null || modified !== null)
        .map(([at, one]) => [at, toStored(one)]),
    };
  }

  private entryAt(at: number, isSecondLook: boolean): Entry {
    const { kind = 'page', depth = 0, lastmod = null } = this.entries[at] ?? {};
    return { at, address: this.addresses[at] ?? '', kind, depth, lastmod, isSecondLook };
  }

  /** A leaf that a page links to is a page: its links are followed as well. */
  private raise(at: number, kind: EntryKind, depth: number): void {
    const entry = this.entries[at];
    const isLeaf = entry?.kind === 'leaf' && !this.known.has(at);
    if (kind !== 'page' || !isLeaf || this.isTooDeep(depth)) return;
    this.entries[at] = { kind, depth, lastmod: null };
    this.queueOf(CRAWL).push(at);
  }

  private cutOff(limit: string): undefined {
    this.cut.add(limit);
    return undefined;
  }

  private noteCopy(at: number, { ending, links: [original] }: KnownPage): void {
    if (ending !== 'copy' || original === undefined) return;
    this.copies.set(original, [...(this.copies.get(original) ?? []), at]);
  }

  private count(kind: EntryKind): void {
    if (kind === 'map') this.maps++;
    else this.pages++;
  }

  private queueOf(queue: number): number[] {
    const found = this.queues[queue];
    if (!found) throw new Error(`there is no queue ${queue}`);
    return found;
  }
}
