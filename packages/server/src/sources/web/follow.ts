/** Decides what a visit means for the crawl: which addresses it leads to, and whether its page is a record. */
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import { SourceError } from '../../errors.ts';
import { type SourceItem, skip, upsert } from '../items.ts';
import { addressOf } from './address.ts';
import type { Entry, Frontier } from './frontier.ts';
import type { ListedPage, SiteList } from './list.ts';
import type { Ending, EntryKind, Remembered } from './memory.ts';
import { extensionOf, FEED_ENTRY, ofFeedEntry, PAGE } from './records.ts';
import { redirectError } from './start.ts';
import type { Site, Validators, Visit } from './visit.ts';

/** The links of a leaf are not kept, so they are missing at any depth. */
const NEVER_KEPT = 1_000_000;
const NO_VALIDATORS: Validators = { etag: null, modified: null };

interface Outcome {
  readonly links: readonly number[];
  readonly validators?: Validators;
  readonly cutAt?: number | null;
}
type FollowedVisit = Visit & { readonly is: 'document' | 'unchanged' | 'page' };

export type Follower = ReturnType<typeof createFollower>;

export function createFollower(site: Site, frontier: Frontier) {
  const { client, scope } = site;

  /** Returns the position of an address that may be visited, or undefined. */
  async function lead(
    address: string,
    kind: EntryKind,
    depth: number,
  ): Promise<number | undefined> {
    if (!frontier.has(address) && !(await mayVisit(address))) return undefined;
    return frontier.add(address, { kind, depth });
  }

  async function mayVisit(address: string): Promise<boolean> {
    if (!scope.allows(address) || hasNoText(address)) return false;
    try {
      return (await client.robots(address)).allows(address);
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'transient') throw error;
      // The host fails, which its visit reports.
      return true;
    }
  }

  function end(entry: Entry, ending: Ending, { links, validators, cutAt = null }: Outcome): void {
    frontier.finish(entry, { ending, links, cutAt, ...(validators ?? NO_VALIDATORS) });
  }

  function none(entry: Entry): void {
    end(entry, 'none', { links: [] });
    frontier.visitCopiesOf(entry);
  }

  async function linksOf(
    entry: Entry,
    links: readonly string[],
  ): Promise<Required<Omit<Outcome, 'validators'>>> {
    if (entry.kind === 'leaf') return { links: [], cutAt: NEVER_KEPT };
    const positions: number[] = [];
    let isCut = false;
    for (const link of links) {
      const position = await lead(link, 'page', entry.depth + 1);
      if (position !== undefined) positions.push(position);
      else isCut ||= frontier.isTooDeep(entry.depth + 1);
    }
    return { links: positions, cutAt: isCut ? entry.depth : null };
  }

  /** Returns the position of the page that this one says it is a copy of, unless that one is not a record itself. */
  async function originalOf({ address, kind, depth }: Entry, canonical: string | null) {
    if (canonical === null || canonical === address) return undefined;
    const known = frontier.knownAt(canonical);
    if (known && known.ending !== 'record') return undefined;
    return lead(canonical, kind === 'leaf' ? 'leaf' : 'page', depth);
  }

  async function settle(
    entry: Entry,
    found: {
      readonly isIndexed: boolean;
      readonly canonical: string | null;
      readonly links: readonly string[];
      readonly validators: Validators;
    },
  ): Promise<Ending> {
    const outcome = { ...(await linksOf(entry, found.links)), validators: found.validators };
    const original = await originalOf(entry, found.canonical);
    if (original !== undefined) {
      end(entry, 'copy', { ...outcome, links: [original, ...outcome.links] });
      return 'copy';
    }
    const isTaken = scope.takes(entry.address);
    const ending = !found.isIndexed ? 'unindexed' : isTaken ? 'record' : 'hub';
    end(entry, ending, outcome);
    if (ending !== 'record') frontier.visitCopiesOf(entry);
    return ending;
  }

  /** The page is as it was: it ends as before, and has the same links. */
  async function again(
    entry: Entry,
    { etag, modified, ending, links }: Remembered,
  ): Promise<Ending> {
    const validators = { etag, modified };
    if (ending === 'document') {
      end(entry, ending, { links: [], validators });
      return ending;
    }
    const canonical = ending === 'copy' ? (links[0] ?? null) : null;
    const own = ending === 'copy' ? links.slice(1) : links;
    return settle(entry, { isIndexed: ending !== 'unindexed', canonical, links: own, validators });
  }

  async function* feed(
    { address }: Entry,
    { title, entries }: SiteList & { is: 'feed' },
  ): AsyncGenerator<SourceItem, void, void> {
    for (const entry of entries) {
      const page = addressOf(entry.link, address);
      if (page !== null && scope.allows(page)) await lead(page, 'leaf', 0);
      else if (entry.id !== '' || page !== null)
        yield upsert(ofFeedEntry(entry, { address, title }), { partition: new URL(address).host });
      else
        yield skip(`${address}#${entry.title}`, FEED_ENTRY, { reason: 'without an id and a link' });
    }
  }

  const isAtNamedHost = (address: string): boolean => scope.hosts.includes(new URL(address).host);

  function addMaps(entry: Entry, maps: readonly string[]): void {
    for (const map of maps) {
      const address = addressOf(map, entry.address);
      if (address !== null && isAtNamedHost(address))
        frontier.add(address, { kind: 'map', depth: 0 });
    }
  }

  function* sitemap(entry: Entry, pages: readonly ListedPage[]): Generator<SourceItem, void, void> {
    const now = Date.now();
    let foreign = 0;
    for (const { link, lastmod } of pages) {
      const address = addressOf(link, entry.address);
      if (address === null || !isAtNamedHost(address)) foreign++;
      else if (scope.allows(address) && !hasNoText(address))
        frontier.add(address, { kind: 'leaf', depth: 0, lastmod: settled(lastmod, now) });
    }
    if (foreign === 0) return;
    yield skip(entry.address, PAGE, {
      reason: 'on a host that is not named',
      detail: `${foreign} pages of this sitemap`,
      hint: 'Name the host in hosts.',
    });
  }

  return {
    end,
    none,

    async *list(entry: Entry, list: SiteList): AsyncGenerator<SourceItem, void, void> {
      if (list.is === 'feed') yield* feed(entry, list);
      else if (list.is === 'index') addMaps(entry, list.maps);
      else yield* sitemap(entry, list.pages);
      none(entry);
    },

    move(entry: Entry, to: string | null): void {
      const { address, kind, depth } = entry;
      const isAllowed = to !== null && scope.allows(to);
      if (kind === 'start' && !isAllowed) throw redirectError(address, to);
      if (isAllowed && !hasNoText(to)) frontier.add(to, { kind, depth, lastmod: null });
      none(entry);
    },

    /** A page is gone when two looks have found it gone. */
    gone(entry: Entry): void {
      site.goneAt = Date.now();
      if (entry.isSecondLook) none(entry);
      else {
        end(entry, 'none', { links: [] });
        frontier.lookAgain(entry);
      }
    },

    again,

    /** Notes what a visit has found, and returns how it ends. */
    async found(entry: Entry, visited: FollowedVisit): Promise<Ending> {
      if (visited.is === 'unchanged') return again(entry, visited.last);
      const { validators } = visited;
      if (visited.is === 'page' && visited.facts.hasMoreLinks) frontier.cut.add('links');
      if (visited.is === 'page') return settle(entry, { ...visited.facts, validators });
      const isTaken = scope.takes(entry.address);
      const ending = !visited.isIndexed ? 'unindexed' : isTaken ? 'document' : 'hub';
      end(entry, ending, { links: [], validators });
      return ending;
    },
  };
}

/** A website offers archives and mailboxes for download, and what is in them is not what it says. */
const DOWNLOADS: ReadonlySet<string> = new Set(['.zip', '.tar', '.gz', '.tgz', '.mbox']);

/** Pictures, archives and programs are not even asked for. */
const hasNoText = (address: string): boolean => {
  const extension = extensionOf(address);
  return (
    DOWNLOADS.has(extension) ||
    (extension !== '' && reasonToLeaveOut(`file${extension}`, 0) !== null)
  );
};

const HOUR = 3600 * 1000;
/**
 * Returns a time of change that can no longer stand for two states of the page, or null. A day is over everywhere 36 hours
 * after it has begun in UTC; a time is taken for over after a minute.
 */
export function settled(lastmod: string, now: number): string | null {
  const at = Date.parse(lastmod);
  if (Number.isNaN(at)) return null;
  const isDay = /^\d{4}(?:-\d\d){0,2}$/.test(lastmod.trim());
  return at + (isDay ? 36 * HOUR : 60_000) < now ? lastmod.trim() : null;
}
