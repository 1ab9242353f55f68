/**
 * Reads a list whose pages begin at a number. Items may come and go meanwhile, so each page begins with the last item of
 * the one before. When it does not, the list has shifted, and is read again.
 */
import { SourceError } from '../../errors.ts';

const ATTEMPTS = 3;

interface NumberedPage<Item> {
  readonly values: readonly Item[];
  /** If the service does not say which page is the last one, the list ends at a page that brings nothing new. */
  readonly isLast?: boolean | undefined;
  /** The page begins at this number, if the service tells it. */
  readonly startAt?: number | null | undefined;
}

/** Throws a SourceError 'transient' when the list does not hold still. */
export async function numbered<Item>(
  get: (startAt: number) => Promise<NumberedPage<Item>>,
  idOf: (item: Item) => string,
): Promise<Item[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const all = await readOnce(get, idOf);
    if (all) return all;
  }
  throw new SourceError('transient', 'a list of Atlassian changes while it is read');
}

async function readOnce<Item>(
  get: (startAt: number) => Promise<NumberedPage<Item>>,
  idOf: (item: Item) => string,
): Promise<Item[] | null> {
  const all: Item[] = [];
  // A page of one item has no room for the last item of the page before.
  for (let overlap = 0; ; ) {
    const asked = all.length - overlap;
    const { values, isLast, startAt } = await get(asked);
    // A page of another request would leave out those before it.
    if ((startAt ?? asked) !== asked) return null;
    const repeated = values.slice(0, overlap).map(idOf);
    const known = all.slice(all.length - overlap).map(idOf);
    if (repeated.join() !== known.join()) return null;
    const fresh = values.slice(overlap);
    all.push(...fresh);
    if (isLast) return all;
    if (fresh.length === 0) return isLast === undefined ? all : null;
    overlap = values.length > 1 ? 1 : 0;
  }
}
