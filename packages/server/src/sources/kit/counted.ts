/**
 * Reads a list of a service that only counts whole pages, so that pages cannot overlap (numbered.ts is for lists whose
 * pages do). Items that come or go meanwhile shift the pages, and one between two pages is then missed or comes twice.
 * So a list of several pages is read until two readings in a row are the same.
 */
import { SourceError } from '../../errors.ts';

const READINGS = 4;
/** A list has at most this many pages, so that a service that never ends it does not fill the memory. */
const MAX_PAGES = 100_000;

interface CountedPage<Item> {
  readonly items: readonly Item[];
  /** If the service does not say which page is the last one, the list ends at an empty page. */
  readonly isLast?: boolean;
}
type GetCounted<Item> = (page: number) => Promise<CountedPage<Item>>;

/**
 * `get` returns the page with this number, from 0 on. Returns all items, so the list must fit into memory. Throws a
 * SourceError 'transient' when the list does not hold still, and 'fatal' when the service gives the same page again and
 * again. `idOf` should tell whatever says that an item has changed.
 */
export async function counted<Item>(
  get: GetCounted<Item>,
  idOf: (item: Item) => string,
): Promise<Item[]> {
  let before: string | undefined;
  let repeats = true;
  for (let reading = 0; reading < READINGS; reading++) {
    const read = await readOnce(get, idOf);
    // The service makes one page at one moment.
    if (!read.repeats && (read.requests === 1 || read.ids === before)) return read.items;
    before = read.repeats ? undefined : read.ids;
    repeats &&= read.repeats;
  }
  if (repeats)
    throw new SourceError('fatal', 'the service gives the same page of a list again and again');
  throw new SourceError('transient', 'a list of the service changes while it is read');
}

/**
 * Stops at a page that brings nothing new (`repeats`). It may come because others have added a whole page of items
 * meanwhile, and then another reading finds all of them.
 */
async function readOnce<Item>(get: GetCounted<Item>, idOf: (item: Item) => string) {
  const all: Item[] = [];
  const met = new Set<string>();
  const read = (page: number, repeats: boolean) => {
    const ids = all.map(idOf).join('\n');
    return { items: all, ids, requests: page + 1, repeats };
  };
  for (let page = 0; ; page++) {
    if (page >= MAX_PAGES) throw new SourceError('fatal', 'a list of the service has no end');
    const { items, isLast = items.length === 0 } = await get(page);
    const count = met.size;
    for (const item of items) met.add(idOf(item));
    if (items.length > 0 && met.size === count) return read(page, true);
    all.push(...items);
    if (isLast) return read(page, false);
  }
}
