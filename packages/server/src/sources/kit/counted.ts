/**
 * Reads a list of a service that only counts whole pages, so that pages cannot overlap (numbered.ts is for lists whose
 * pages do). Items that come or go meanwhile shift the pages, and one between two pages is then missed or comes twice.
 * So a list of several pages is read until two readings in a row are the same.
 */
import { SourceError } from '../../errors.ts';

const READINGS = 4;

interface CountedPage<Item> {
  readonly items: readonly Item[];
  /** If the service does not say which page is the last one, the list ends at an empty page. */
  readonly isLast?: boolean;
}
type GetCounted<Item> = (page: number) => Promise<CountedPage<Item>>;

/**
 * `get` returns the page with this number, from 0 on. Returns all items, so the list must fit into memory. Throws a
 * SourceError 'transient' when the list does not hold still. `idOf` should tell whatever says that an item has changed.
 */
export async function counted<Item>(
  get: GetCounted<Item>,
  idOf: (item: Item) => string,
): Promise<Item[]> {
  let before: string | undefined;
  for (let reading = 0; reading < READINGS; reading++) {
    const { items, requests } = await readOnce(get);
    const ids = items.map(idOf).join('\n');
    // The service makes one page at one moment.
    if (requests === 1 || ids === before) return items;
    before = ids;
  }
  throw new SourceError('transient', 'a list of the service changes while it is read');
}

async function readOnce<Item>(get: GetCounted<Item>) {
  const all: Item[] = [];
  for (let page = 0; ; page++) {
    const { items, isLast = items.length === 0 } = await get(page);
    all.push(...items);
    if (isLast) return { items: all, requests: page + 1 };
  }
}
