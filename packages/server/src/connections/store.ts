/** This file has the queries on source connections. A deleted row counts as absent. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import { begins, contains } from '../db/contains.ts';
import { within } from '../db/reach.ts';
import type { ConnectionTable, Db, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import { folded } from '../model/folded.ts';
import type { Reach } from '../model/reach.ts';
import { UNFINISHED } from '../model/sync-status.ts';
import type { WatchState } from '../model/watch-state.ts';

export type ConnectionRow = Selectable<ConnectionTable> & {
  readonly readable_id: string;
  /** The access token of OAuth expires at this time; null when the time is not known, and without a token. */
  readonly token_expires_at: number | null;
  /** The newest sign-in in a browser has failed for this reason; null when none has. */
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  /** A worker watches the source with this result until its lease ends; null when none does. */
  readonly watch_state: WatchState | null;
  readonly watch_message: string | null;
  readonly watch_lease_until: number | null;
};

export type Counts = readonly { entity_type: string; count: number }[];

const notDeleted = (db: Db) =>
  db
    .selectFrom('connections')
    .innerJoin('collections', 'collections.id', 'connections.collection_id')
    .leftJoin('connection_tokens', 'connection_tokens.connection_id', 'connections.id')
    .leftJoin('browser_sign_ins', 'browser_sign_ins.connection_id', 'connections.id')
    .leftJoin('folder_watches', 'folder_watches.connection_id', 'connections.id')
    .where('connections.deleted_at', 'is', null)
    .where('collections.deleted_at', 'is', null);

const SHOWN = [
  'collections.readable_id',
  'connection_tokens.expires_at as token_expires_at',
  'browser_sign_ins.failure_code',
  'browser_sign_ins.failure_message',
  'folder_watches.state as watch_state',
  'folder_watches.message as watch_message',
  'folder_watches.lease_until as watch_lease_until',
] as const;

export const insert = (tx: Tx, row: Omit<Insertable<ConnectionTable>, 'folded_name'>) =>
  tx
    .insertInto('connections')
    .values({ ...row, folded_name: folded(row.name) })
    .execute();

export const find = (db: Db, reach: Reach, id: string) =>
  notDeleted(db)
    .selectAll('connections')
    .select(SHOWN)
    .where(within(reach, 'connections'))
    .where('connections.id', '=', id)
    .executeTakeFirst();

/** Finds the connection for which somebody signs in with a browser. That request has no key, so no reach limits it. */
export const findSignedIn = (db: Db, id: string) =>
  notDeleted(db)
    .selectAll('connections')
    .select(SHOWN)
    .where('connections.id', '=', id)
    .executeTakeFirst();

const FOLDED_NAME = sql.ref<string>('connections.folded_name');
/** A search looks for its words in the name, the source and the collection. */
const NAMES = sql<string>`${FOLDED_NAME} || ' ' || connections.short_name || ' ' || collections.readable_id`;

/**
 * Returns the newest connection first. A search wants each of its words as a part of the names; connections whose name
 * begins with the whole of it come before the others.
 */
export async function list(
  db: Db,
  reach: Reach,
  query: Page & { collectionId: string | undefined; search: string | undefined },
): Promise<Listed<ConnectionRow>> {
  const words = folded(query.search ?? '')
    .split(/\s+/)
    .filter(Boolean);
  let connections = notDeleted(db).where(within(reach, 'connections'));
  if (query.collectionId !== undefined)
    connections = connections.where('connections.collection_id', '=', query.collectionId);
  for (const word of words) connections = connections.where(contains(NAMES, word));
  const { total } = await connections
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await connections
    .selectAll('connections')
    .select(SHOWN)
    .$if(words.length > 0, (found) =>
      found.orderBy(sql`case when ${begins(FOLDED_NAME, words.join(' '))} then 0 else 1 end`),
    )
    .orderBy('connections.created_at', 'desc')
    .orderBy('connections.id', 'desc')
    .offset(query.skip)
    .limit(query.limit)
    .execute();
  return { total: Number(total), rows };
}

/** Returns the connections of a collection that have no unfinished job. */
export const idle = (db: Db, collectionId: string): Promise<ConnectionRow[]> =>
  notDeleted(db)
    .selectAll('connections')
    .select(SHOWN)
    .where('connections.collection_id', '=', collectionId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sync_jobs')
            .select('sync_jobs.id')
            .whereRef('sync_jobs.connection_id', '=', 'connections.id')
            .where('sync_jobs.status', 'in', UNFINISHED),
        ),
      ),
    )
    .orderBy('connections.id')
    .execute();

/** Returns how many entities of each type each connection has. One query serves many connections. */
export async function counts(db: Db, ids: readonly string[]): Promise<Map<string, Counts>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('entity_counts')
    .select(['connection_id', 'entity_type', 'count'])
    .where('connection_id', 'in', ids)
    .where('count', '>', 0)
    .orderBy('entity_type')
    .execute();
  return Map.groupBy(rows, (row) => row.connection_id);
}

/** Locks the collection until the transaction ends. Returns false when it has been deleted. */
export async function lockCollection(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('collections')
    .set({ modified_at: sql`modified_at` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Locks the connection until the transaction ends. Returns false when the connection has been deleted. */
export async function lock(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('connections')
    .set({ generation: sql`generation` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Locks the row until the transaction ends and returns its current values, or undefined when it has been deleted. */
export const lockRow = async (tx: Tx, reach: Reach, id: string) =>
  (await lock(tx, id)) ? find(tx, reach, id) : undefined;

export const update = (
  tx: Tx,
  id: string,
  changes: Omit<Updateable<ConnectionTable>, 'folded_name'>,
) =>
  tx
    .updateTable('connections')
    .set({ ...changes, ...(changes.name !== undefined && { folded_name: folded(changes.name) }) })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute();

/**
 * After the commit, no record of the connection can be reached. Returns undefined when the connection was already
 * deleted.
 */
export const markDeleted = (tx: Tx, id: string) =>
  tx
    .updateTable('connections')
    .set({ deleted_at: Date.now(), next_run_at: null })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

const DUE_AT_ONCE = 100;

/** Returns the connections whose next run is due; the one that has waited longest comes first. */
export const due = (db: Db, now: number): Promise<ConnectionRow[]> =>
  notDeleted(db)
    .selectAll('connections')
    .select(SHOWN)
    .where('connections.next_run_at', '<=', now)
    .orderBy('connections.next_run_at')
    .limit(DUE_AT_ONCE)
    .execute();

/** Yields pages of the connections that run after this time, those that run last first. */
export async function* runningAfter(db: Db, time: number): AsyncGenerator<ConnectionRow[]> {
  let last: ConnectionRow | undefined;
  do {
    const page: ConnectionRow[] = await notDeleted(db)
      .selectAll('connections')
      .select(SHOWN)
      .where('connections.next_run_at', '>', time)
      .where(
        last
          ? sql<boolean>`(connections.next_run_at, connections.id) < (${last.next_run_at}, ${last.id})`
          : sql<boolean>`true`,
      )
      .orderBy('connections.next_run_at', 'desc')
      .orderBy('connections.id', 'desc')
      .limit(DUE_AT_ONCE)
      .execute();
    yield page;
    last = page[DUE_AT_ONCE - 1];
  } while (last);
}

/**
 * Moves `next_run_at` and returns the current row. Returns undefined when another transaction has locked the row or was
 * faster, when the cron was changed, or when the connection was deleted. So several workers that have read the same page
 * of due connections do not wait for each other: each takes those that no other one has taken.
 */
export async function moveNextRun(
  tx: Tx,
  kind: DatabaseKind,
  { row, next }: { readonly row: ConnectionRow; readonly next: number | null },
): Promise<ConnectionRow | undefined> {
  const free = tx.selectFrom('connections').select('id').where('id', '=', row.id);
  const moved = await tx
    .updateTable('connections')
    .set({ next_run_at: next })
    .where('id', '=', kind === 'postgres' ? free.forUpdate().skipLocked() : free)
    .where('next_run_at', '=', row.next_run_at)
    // `next` was computed from this cron. If the cron was changed meanwhile, `next` is wrong, even when `next_run_at`
    // has not changed.
    .where('cron', row.cron === null ? 'is' : '=', row.cron)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return moved && { ...row, ...moved };
}
