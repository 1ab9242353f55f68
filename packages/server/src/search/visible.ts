/** What was found is looked at again where time has passed since: it may be gone or belong to others by now. */
import type { Db } from '../db/schema.ts';
import { filterMatches } from '../model/filter-matches.ts';
import type { Scope } from './page.ts';
import { idOf, maySee, toMatchable } from './read.ts';
import * as store from './store.ts';

/** Rows of these chunks, as they are now, that may be given to the one who asks. */
export async function visibleRows(
  db: Db,
  scope: Scope,
  numbers: readonly number[],
): Promise<store.ChunkRow[]> {
  if (numbers.length === 0) return [];
  const { rows } = await store.chunks(db, scope, numbers);
  const principals = scope.principals && new Set(scope.principals);
  // What the index asks of its chunks, asked of rows that no index has given.
  return rows.filter(
    (row) => maySee(principals, row) && filterMatches(toMatchable(row), scope.filter),
  );
}

/** Those of the items that may still be given, with their rows as they are now. What is no row of ours stays. */
export async function confirmed<Item extends { readonly row: store.ChunkHead }>(
  db: Db,
  scope: Scope,
  items: readonly Item[],
): Promise<(Item & { readonly row: store.ChunkRow })[]> {
  const numbers = items.flatMap(({ row }) => (isLive(row) ? [] : [row.n]));
  const now = new Map((await visibleRows(db, scope, numbers)).map((row) => [keyOf(row), row]));
  const connections = new Set(scope.live);
  return items.flatMap((item) => {
    const { row: found } = item;
    if (isLive(found)) return connections.has(found.connection_id) ? [{ ...item, row: found }] : [];
    const row = now.get(keyOf(found));
    return row ? [{ ...item, row }] : [];
  });
}

/** Records of two connections may have the same id. */
export const keyOf = (row: store.ChunkHead): string =>
  JSON.stringify([row.connection_id, idOf(row)]);

/** Found live at its source: it has no number in the index, and came with all that there is of it. */
const isLive = (row: store.ChunkHead): row is store.ChunkRow => row.n < 0;
