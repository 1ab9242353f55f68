/** Says which rows an asker may get, in the snapshot of a look. */
import type { Db } from '../db/schema.ts';
import { filterMatches } from '../model/filter-matches.ts';
import { idOf, maySee, toMatchable } from './read.ts';
import type { SearchScope } from './scope.ts';
import * as store from './store.ts';

/** Checks the conditions that the index puts on its chunks once more, on the rows. */
export async function visibleRows(
  db: Db,
  scope: SearchScope,
  numbers: readonly number[],
): Promise<store.ChunkRow[]> {
  if (numbers.length === 0) return [];
  const rows = await store.chunks(db, scope, numbers);
  const principals = scope.principals && new Set(scope.principals);
  return rows.filter(
    (row) => maySee(principals, row) && filterMatches(toMatchable(row), scope.filter),
  );
}

/** Returns the items that the asker may get with their rows. A live row came complete. */
export async function withRows<Item extends { readonly row: store.ChunkHead }>(
  db: Db,
  scope: SearchScope,
  items: readonly Item[],
): Promise<(Item & { readonly row: store.ChunkRow })[]> {
  const numbers = items.flatMap(({ row }) => (isLive(row) ? [] : [row.n]));
  const rows = new Map((await visibleRows(db, scope, numbers)).map((row) => [row.n, row]));
  return items.flatMap((item) => {
    const row = isLive(item.row) ? item.row : rows.get(item.row.n);
    return row ? [{ ...item, row }] : [];
  });
}

/**
 * Returns those of the items from an earlier look that may still be shown, with their rows as they are now, and
 * whether these are all. A chunk that was written again has another number, so it is found by its place in its
 * record; with another text it is another chunk. A live row stays as long as its connection does.
 */
export async function confirmed<Item extends { readonly row: store.ChunkRow }>(
  db: Db,
  scope: SearchScope,
  items: readonly Item[],
): Promise<{ items: Item[]; isWhole: boolean }> {
  const places = items.flatMap(({ row }) => (isLive(row) ? [] : [row]));
  const numbers = await store.numbersAt(db, places);
  const now = new Map((await visibleRows(db, scope, numbers)).map((row) => [keyOf(row), row]));
  const still = items.flatMap((item) => {
    if (item.row.n < 0) return scope.live.includes(item.row.connection_id) ? [item] : [];
    const row = now.get(keyOf(item.row));
    return row?.text === item.row.text ? [{ ...item, row }] : [];
  });
  return { items: still, isWhole: still.length === items.length };
}

/** Records of two connections may have the same id. */
export const keyOf = (row: store.ChunkPlace): string =>
  JSON.stringify([row.connection_id, idOf(row)]);

/** A row that was found live has no number in the index, and came complete. */
const isLive = (row: store.ChunkHead): row is store.ChunkRow => row.n < 0;
