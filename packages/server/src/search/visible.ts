/** Results are checked again where time has passed since they were found: by now they may be gone or hidden. */
import type { Db } from '../db/schema.ts';
import { filterMatches } from '../model/filter-matches.ts';
import type { SearchScope } from './page.ts';
import { idOf, maySee, toMatchable } from './read.ts';
import * as store from './store.ts';

/**
 * Returns the rows of these chunks that the asker may get. The conditions that the index puts on its chunks are
 * checked on the chunks as they are now.
 */
export async function visibleRows(
  db: Db,
  scope: SearchScope,
  numbers: readonly number[],
): Promise<store.ChunkRow[]> {
  if (numbers.length === 0) return [];
  const { rows } = await store.chunks(db, scope, numbers);
  if (rows.length === 0) return [];
  const principals = await stillHeld(db, scope);
  return rows.filter(
    (row) => maySee(principals, row) && filterMatches(toMatchable(row), scope.filter),
  );
}

/**
 * Returns the principals that the asker had before the rows were read and still has, so that a user who has left a
 * group cannot read a text that was written afterwards.
 */
export async function stillHeld(
  db: Db,
  { organizationId, named, principals }: SearchScope,
): Promise<ReadonlySet<string> | null> {
  if (named === null || principals === null) return null;
  if (principals.every((one) => named.includes(one))) return new Set(principals);
  const now = new Set([...named, ...(await store.groupsOf(db, organizationId, named))]);
  return new Set(principals.filter((one) => now.has(one)));
}

/** `text` is the text of the chunk when it was read, if it was read. */
type ReadChunkHead = store.ChunkHead & { readonly text?: string };

/**
 * Returns those of the items that may still be shown, with their rows as they are now. `isWhole` tells that none
 * is gone and that all have the same text. A row that is not in our database stays as long as its connection does.
 */
export async function confirmed<Item extends { readonly row: ReadChunkHead }>(
  db: Db,
  scope: SearchScope,
  items: readonly Item[],
): Promise<{ items: (Item & { readonly row: store.ChunkRow })[]; isWhole: boolean }> {
  const numbers = items.flatMap(({ row }) => (isLive(row) ? [] : [row.n]));
  const now = new Map((await visibleRows(db, scope, numbers)).map((row) => [keyOf(row), row]));
  const connections = new Set(scope.live);
  const rowOf = (row: ReadChunkHead) => {
    if (!isLive(row)) return now.get(keyOf(row));
    return connections.has(row.connection_id) ? row : undefined;
  };
  let isWhole = true;
  const there = items.flatMap((item) => {
    const row = rowOf(item.row);
    isWhole &&= row !== undefined && isSame(row, item.row);
    return row ? [{ ...item, row }] : [];
  });
  return { items: there, isWhole };
}

/** A chunk that has been written again has another number, although its text may be the same. */
const isSame = (row: store.ChunkRow, before: ReadChunkHead): boolean =>
  before.text === undefined ? row.n === before.n : row.text === before.text;

/** Records of two connections may have the same id. */
export const keyOf = (row: store.ChunkHead): string =>
  JSON.stringify([row.connection_id, idOf(row)]);

/** A row that was found live has no number in the index, and came complete. */
const isLive = (row: store.ChunkHead): row is store.ChunkRow => row.n < 0;
