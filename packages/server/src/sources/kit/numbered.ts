/**
 * Reads a list whose pages begin at a number. Items may come and go meanwhile, so each page begins with the last item of
 * the one before. When it does not, the list has shifted, and is read again from its beginning. (An item that comes and
 * one that goes, both on pages that were read, hide each other. Ask for the items in the order in which they were made
 * if the service can do so, because new items then come at the end.)
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';

const ATTEMPTS = 3;

interface NumberedPage<Item> {
  readonly values: readonly Item[];
  /** If the service does not say which page is the last one, the list ends at a page that brings nothing new. */
  readonly isLast?: boolean | undefined;
  /** The page begins at this number, if the service tells it. */
  readonly startAt?: number | null | undefined;
}
interface FreshItems<Item> {
  readonly items: readonly Item[];
  /** The list begins with these items. */
  readonly isFirst: boolean;
  /** The list goes on here, which a bookmark can hold. */
  readonly place: NumberedPlace;
}
export const NumberedPlace = z.object({ count: z.int().min(0), last: z.string().nullable() });
/** So many items have come, and the next page must begin with the last of them. A page of one item has no room for it. */
export type NumberedPlace = z.output<typeof NumberedPlace>;
const BEGINNING: NumberedPlace = { count: 0, last: null };
type GetPage<Item> = (startAt: number) => Promise<NumberedPage<Item>>;

/**
 * Returns all items, each once, so the list must fit into memory. Throws a SourceError 'transient' when the list does
 * not hold still.
 */
export async function numbered<Item>(
  get: GetPage<Item>,
  idOf: (item: Item) => string,
): Promise<Item[]> {
  let all: Item[] = [];
  for await (const { items, isFirst } of numberedPages(get, idOf)) {
    if (isFirst) all = [];
    all.push(...items);
  }
  return all;
}

/**
 * Yields the items of a list of any length, page by page, from a place that an earlier reading has yielded. When the
 * list has shifted, its first page comes again (`isFirst`), and all others after it. Throws a SourceError 'transient'
 * when the list does not hold still.
 */
export async function* numberedPages<Item>(
  get: GetPage<Item>,
  idOf: (item: Item) => string,
  from: NumberedPlace | null = null,
): AsyncGenerator<FreshItems<Item>, void, void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++)
    if (yield* readOnce(get, idOf, (attempt === 0 && from) || BEGINNING)) return;
  throw new SourceError('transient', 'a list of the service changes while it is read');
}

/** Returns false when the list has shifted. */
async function* readOnce<Item>(
  get: GetPage<Item>,
  idOf: (item: Item) => string,
  from: NumberedPlace,
): AsyncGenerator<FreshItems<Item>, boolean, void> {
  for (let { count, last } = from; ; ) {
    const asked: number = last === null ? count : count - 1;
    const { values, isLast, startAt } = await get(asked);
    // A page of another request would leave out those before it.
    if ((startAt ?? asked) !== asked) return false;
    const items: readonly Item[] | null = itemsAfter(last, values, idOf);
    if (!items) return false;
    const isFirst = count === 0;
    const end: Item | undefined = items.at(-1);
    count += items.length;
    if (end !== undefined) last = values.length > 1 ? idOf(end) : null;
    if (isFirst || end !== undefined) yield { items, isFirst, place: { count, last } };
    if (isLast) return true;
    if (end === undefined) return isLast === undefined;
  }
}

/** Returns null when the page does not begin with the last item of the page before. */
function itemsAfter<Item>(
  last: string | null,
  values: readonly Item[],
  idOf: (item: Item) => string,
): readonly Item[] | null {
  if (last === null) return values;
  const [first, ...others] = values;
  return first !== undefined && idOf(first) === last ? others : null;
}
