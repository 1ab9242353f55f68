/**
 * A row of `folder_watches` says which worker watches a connection, and what people should know of the watch. The row is
 * a lease, so of many workers only one watches a connection. On SQLite there is only one worker, so its lease does not
 * run out.
 */
import { sql } from 'kysely';
import { isHeld, nowMs } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Db, Tx } from '../../db/schema.ts';
import type { WatchReport } from '../../sources/watching.ts';

const LEASE_MS = 30_000;
const NEVER = 8_640_000_000_000_000;

export interface WatchableConnection {
  readonly id: string;
  readonly short_name: string;
  readonly config: Record<string, unknown>;
  /** This many syncs of the connection have been started. */
  readonly total_runs: number;
}

const isTaken = (kind: DatabaseKind) =>
  kind === 'sqlite'
    ? sql<boolean>`folder_watches.lease_until = ${sql.lit(NEVER)}`
    : isHeld(nowMs(kind), 'folder_watches.lease_until', LEASE_MS);

/** Returns the connections of these sources. `is_taken` is 1 when a worker watches the connection. */
export const watchable = (
  db: Db,
  kind: DatabaseKind,
  shortNames: readonly string[],
): Promise<(WatchableConnection & { readonly is_taken: number })[]> =>
  db
    .selectFrom('connections')
    .innerJoin('collections', 'collections.id', 'connections.collection_id')
    .leftJoin('folder_watches', 'folder_watches.connection_id', 'connections.id')
    .select([
      'connections.id',
      'connections.short_name',
      'connections.config',
      'connections.total_runs',
    ])
    .select(sql<number>`case when ${isTaken(kind)} then 1 else 0 end`.as('is_taken'))
    .where('connections.short_name', 'in', shortNames)
    .where('connections.deleted_at', 'is', null)
    .where('collections.deleted_at', 'is', null)
    .orderBy('connections.id')
    .execute();

export interface WatchLease {
  readonly connectionId: string;
  readonly worker: string;
}

const leaseEnd = (kind: DatabaseKind) =>
  kind === 'sqlite' ? sql.lit(NEVER) : sql<number>`${nowMs(kind)} + ${sql.lit(LEASE_MS)}`;

/**
 * Takes the lease. Resolves undefined while another worker has it. The caller has locked the connection, so that its
 * clean-up removes this row.
 */
export const takeWatch = (tx: Tx, kind: DatabaseKind, { connectionId, worker }: WatchLease) =>
  tx
    .insertInto('folder_watches')
    .values({ connection_id: connectionId, worker, lease_until: leaseEnd(kind) })
    .onConflict((conflict) =>
      conflict
        .column('connection_id')
        .doUpdateSet({ worker, lease_until: leaseEnd(kind) })
        .where((eb) => eb.or([eb('folder_watches.worker', '=', worker), eb.not(isTaken(kind))])),
    )
    .returning('device')
    .executeTakeFirst();

/** Renews the leases of the worker. Returns the ids of the connections that it still watches. */
export async function renewWatches(
  db: Db,
  kind: DatabaseKind,
  worker: string,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .updateTable('folder_watches')
    .set({ lease_until: leaseEnd(kind) })
    .where('worker', '=', worker)
    // A watch that has ended keeps its worker, and must not come back to life.
    .where('lease_until', '>', 0)
    .returning('connection_id')
    .execute();
  return new Set(rows.map((row) => row.connection_id));
}

export async function noteWatch(
  db: Db,
  { connectionId, worker }: WatchLease,
  { state, message, device }: WatchReport,
): Promise<void> {
  await db
    .updateTable('folder_watches')
    .set({ state, message, device })
    .where('connection_id', '=', connectionId)
    .where('worker', '=', worker)
    .execute();
}

/** Ends the watch of one connection, or of all. The device stays, because a later watch must know it. */
export async function endWatches(db: Db, worker: string, connectionId?: string): Promise<void> {
  await db
    .updateTable('folder_watches')
    .set({ lease_until: 0, state: null, message: null })
    .where('worker', '=', worker)
    .where((eb) =>
      connectionId === undefined ? eb.lit(true) : eb('connection_id', '=', connectionId),
    )
    .execute();
}

/** Ends the watches of an earlier process of this embedded database, which no other process uses. */
export async function endWatchesOfEarlier(db: Db): Promise<void> {
  await db
    .updateTable('folder_watches')
    .set({ lease_until: 0, state: null, message: null })
    .where('lease_until', '>', 0)
    .execute();
}
