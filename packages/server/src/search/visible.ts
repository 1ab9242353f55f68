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
  return visibleAmong(db, scope, rows);
}

/** Of rows that have just been read: what the index asks of its chunks, asked of them as they are now. */
export async function visibleAmong(
  db: Db,
  scope: Scope,
  rows: readonly store.ChunkRow[],
): Promise<store.ChunkRow[]> {
  if (rows.length === 0) return [];
  const principals = await stillHeld(db, scope);
  return rows.filter(
    (row) => maySee(principals, row) && filterMatches(toMatchable(row), scope.filter),
  );
}

/** What was held before the rows were read and is held still: nobody reads what was written after they had left a group. */
async function stillHeld(
  db: Db,
  { organizationId, named, principals }: Scope,
): Promise<ReadonlySet<string> | null> {
  if (named === null || principals === null) return null;
  if (principals.every((one) => named.includes(one))) return new Set(principals);
  const now = new Set([...named, ...(await store.groupsOf(db, organizationId, named))]);
  return new Set(principals.filter((one) => now.has(one)));
}

/** Those of the items that may still be given, with their rows as they are now. What is no row of ours stays. */
export async function confirmed<Item extends { readonly row: store.ChunkRow }>(
  db: Db,
  scope: Scope,
  items: readonly Item[],
): Promise<Item[]> {
  const numbers = items.flatMap(({ row }) => (isLive(row) ? [] : [row.n]));
  const now = new Map((await visibleRows(db, scope, numbers)).map((row) => [keyOf(row), row]));
  const connections = new Set(scope.live);
  return items.flatMap((item) => {
    if (isLive(item.row)) return connections.has(item.row.connection_id) ? [item] : [];
    const row = now.get(keyOf(item.row));
    return row ? [{ ...item, row }] : [];
  });
}

/** Records of two connections may have the same id. */
export const keyOf = (row: store.ChunkRow): string =>
  JSON.stringify([row.connection_id, idOf(row)]);

/** Found live at its source: it has no number in the index. */
const isLive = ({ n }: store.ChunkRow) => n < 0;
