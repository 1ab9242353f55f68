/** These helpers list a service page by page and part by part, and read the records behind stubs. */
import { SourceError } from '../../errors.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import {
  type BelowList,
  below,
  type ChildRecord,
  fail,
  type LeftOut,
  listed,
  lost,
  type SourceItem,
  type Stub,
  skip,
  type Upsert,
} from '../items.ts';
import { LeftOutFile } from './file.ts';

/** A listing has at most this many pages, so that the set of the places that were met stays small. */
const MAX_PAGES = 1_000_000;

interface PageAt<Page, Place> {
  readonly page: Page;
  /** The next page is at this place; null or undefined means that this page is the last one. */
  readonly next?: Place | null | undefined;
}

/**
 * Yields page after page, from `from` on; null is the first page. Throws a SourceError 'fatal' when the service names a
 * place for the second time, because the listing would then never end.
 */
export async function* pages<Page, Place extends string | number>(
  from: Place | null,
  get: (place: Place | null) => Promise<PageAt<Page, Place>>,
): AsyncGenerator<{ readonly page: Page; readonly next: Place | null }, void, void> {
  const met = new Set<Place>(from === null ? [] : [from]);
  for (let place = from; ; ) {
    const { page, next = null } = await get(place);
    yield { page, next };
    if (next === null) return;
    if (met.has(next) || met.size >= MAX_PAGES)
      throw new SourceError(
        'fatal',
        `the service lists in circles: it names the page '${next}' again`,
      );
    met.add(next);
    place = next;
  }
}

/**
 * Returns the address of the next page (RFC 8288): the target of the link whose relation types include `next`. The two
 * libraries for this header that npm has (parse-link-header, http-link-header) build an index of all links and their
 * parameters, but a pull needs only one link.
 */
export function nextLink(headers: ResponseHeaders): string | null {
  for (const [, target, parameters = ''] of (headers.get('link') ?? '').matchAll(LINK)) {
    const [, quoted, plain] = REL.exec(parameters) ?? [];
    const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
    if (target !== undefined && relations.includes('next')) return target;
  }
  return null;
}
const LINK = /<([^>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"[^"]*"|[^\s;,"]+))?)*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i;

/**
 * Yields the items, and then `listed` for the part. For a part that the account may not read, or that is gone, it
 * yields `lost`: nothing in the part is deleted, and the listing of the other parts goes on. Returns true when the part
 * is listed.
 */
export async function* part(
  partition: string,
  items: AsyncIterable<SourceItem>,
): AsyncGenerator<SourceItem, boolean, void> {
  const isWhole = yield* unlessLost(partition, items);
  if (isWhole) yield listed(partition);
  return isWhole;
}

/**
 * Yields the items, such as the changes in a part, and returns true. Returns false when the part cannot be read, after
 * it has yielded `lost`.
 */
export async function* unlessLost(
  partition: string,
  items: AsyncIterable<SourceItem>,
): AsyncGenerator<SourceItem, boolean, void> {
  try {
    yield* items;
    return true;
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    yield lost(partition, error);
    return false;
  }
}

/** Returns `otherwise` for what the account may not read, and for what does not exist. */
export async function ifReadable<Value, Other>(
  read: () => Promise<Value>,
  otherwise: Other,
): Promise<Value | Other> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return otherwise;
    throw error;
  }
}

/**
 * Reads `concurrency` records at the same time, and yields each as soon as it is read. A record that cannot be read
 * becomes a failure of this record; any other error is thrown.
 */
export const eachOf = (
  stubs: readonly Stub[],
  concurrency: number,
  read: (stub: Stub) => Promise<Upsert | LeftOut>,
): AsyncGenerator<Upsert | LeftOut, void, void> =>
  asTheyCome(stubs, concurrency, (stub) => readOne(stub, read));

/**
 * Reads what is below `concurrency` records at the same time, and yields each list as soon as it is read. A list that
 * cannot be read becomes a failure of its record, and what is stored below the record stays; any other error is thrown.
 */
export const eachBelow = (
  stubs: readonly Stub[],
  concurrency: number,
  read: (stub: Stub) => Promise<readonly ChildRecord[]>,
): AsyncGenerator<BelowList | LeftOut, void, void> =>
  asTheyCome(stubs, concurrency, async (stub) => {
    try {
      return below(stub.id, await read(stub));
    } catch (error) {
      if (error instanceof SourceError && error.kind === 'skip')
        return fail(stub.id, stub.type, error);
      throw error;
    }
  });

async function* asTheyCome<Result>(
  stubs: readonly Stub[],
  concurrency: number,
  read: (stub: Stub) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const reading = new Map<Stub, Promise<{ readonly stub: Stub; readonly result: Result }>>();
  const waiting = stubs.values();
  const startNext = () => {
    const { value: stub } = waiting.next();
    if (!stub) return;
    const promise = read(stub).then((result) => ({ stub, result }));
    // A later `Promise.race` throws the error. Without this handler, Node would report it as unhandled before that.
    promise.catch(() => {});
    reading.set(stub, promise);
  };
  for (let i = 0; i < concurrency; i++) startNext();
  while (reading.size > 0) {
    const { stub, result } = await Promise.race(reading.values());
    reading.delete(stub);
    startNext();
    yield result;
  }
}

async function readOne(
  stub: Stub,
  read: (stub: Stub) => Promise<Upsert | LeftOut>,
): Promise<Upsert | LeftOut> {
  try {
    return await read(stub);
  } catch (error) {
    // Searches must no longer find the text that the record had before.
    if (error instanceof LeftOutFile)
      return skip(stub.id, stub.type, { ...error.omission, removes: 'record' });
    if (error instanceof SourceError && error.kind === 'skip')
      return fail(stub.id, stub.type, error);
    throw error;
  }
}

/** Reads `concurrency` records at the same time, and yields them in their order. */
export async function* ahead<Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const reading: Promise<Result>[] = [];
  for (const item of items) {
    const one = read(item);
    // The error is thrown when its turn comes; until then Node must not take it for unhandled.
    one.catch(() => {});
    reading.push(one);
    if (reading.length === concurrency) yield await (reading.shift() as Promise<Result>);
  }
  for (const one of reading) yield await one;
}
