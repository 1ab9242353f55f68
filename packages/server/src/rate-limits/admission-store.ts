/**
 * These queries admit requests to windows, over all threads and processes (window.ts has the rules).
 *
 * An admission is a row whose number is one above the newest. Two requests that have read the same newest row want the
 * same number. Only one of them gets it, and the other one reads again. So a request that gets a number has counted all
 * requests before it. This needs no lock, and two statements instead of the five of a transaction with a locked row.
 * The newest row of a window is never removed, because the next number follows from it.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import type { Admitted, Waiting, WindowTime } from './window.ts';

/** An admission removes at most this many rows that have left the window. */
const PRUNED_ROWS = 64;

export interface WindowKey {
  readonly organizationId: string;
  readonly shortName: string;
  /** It is '' when all connections of the organization share the window, and for settings that are not saved yet. */
  readonly connectionId: string;
}

/** Returns the number of the window. It makes the window when it is used for the first time. */
export async function windowId(db: Db, key: WindowKey): Promise<number> {
  const columns = {
    organization_id: key.organizationId,
    source_short_name: key.shortName,
    connection_id: key.connectionId,
  };
  await db
    .insertInto('source_windows')
    .values(columns)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await db
    .selectFrom('source_windows')
    .select('id')
    .where((eb) => eb.and(columns))
    .executeTakeFirstOrThrow();
  return id;
}

/** A connection waits for its turn from `since` until `until`, which are times of the window. */
export interface Turn {
  readonly since: number;
  readonly until: number;
}

export interface WindowState {
  /** This is the clock of the database, in milliseconds since 1970. */
  readonly now: number;
  readonly newest: Admitted | null;
  /** The `limit`-th newest request was admitted at this time; null when the window has fewer. */
  readonly boundaryAt: number | null;
  /** This is the row of the asking connection; null when it has none. */
  readonly ownTurn: Turn | null;
  /** Other connections may be waiting until this time; null when no other connection has a turn. */
  readonly othersUntil: number | null;
}

interface StateRow {
  readonly now: number;
  readonly seq: number | null;
  readonly at: number | null;
  readonly skew: number | null;
  readonly boundary_at: number | null;
  readonly since: number | null;
  readonly until: number | null;
  readonly others_until: number | null;
}

/** A connection asks a window for room. */
export interface Asking {
  readonly windowId: number;
  readonly limit: number;
  readonly connectionId: string;
}

export async function stateOf(
  db: Db,
  databaseNow: RawBuilder<number>,
  { windowId: id, limit, connectionId }: Asking,
): Promise<WindowState> {
  const { rows } = await sql<StateRow>`
    select ${databaseNow} as now, newest.seq, newest.at, newest.skew,
      (select bound.at from source_admissions as bound
        where bound.window_id = ${id} and bound.seq = newest.seq - cast(${limit - 1} as bigint)) as boundary_at,
      own.since, own.until,
      (select max(other.until) from source_waits as other
        where other.window_id = ${id} and other.connection_id <> ${connectionId}) as others_until
    from (select 1 as one) as always
    left join (
      select seq, at, skew from source_admissions where window_id = ${id} order by seq desc limit 1
    ) as newest on 1 = 1
    left join source_waits as own on own.window_id = ${id} and own.connection_id = ${connectionId}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error('the state of a window is one row');
  const { now, seq, at, skew, since, until } = row;
  return {
    now,
    newest: seq === null || at === null || skew === null ? null : { seq, at, skew },
    boundaryAt: row.boundary_at,
    ownTurn: since === null || until === null ? null : { since, until },
    othersUntil: row.others_until,
  };
}

/**
 * Admits a request in one statement. Returns undefined, and admits nothing, when the window may have no room, when a
 * connection waits for its turn, when the clock was set back, when the window is new, or when another request has taken
 * the number. Then `stateOf` and the rules in window.ts decide.
 */
export async function admitAtOnce(
  db: Db,
  databaseNow: RawBuilder<number>,
  { windowId: id, limit, connectionId, windowMs }: Asking & { readonly windowMs: number },
): Promise<Pick<Admitted, 'seq' | 'at'> | undefined> {
  const { rows } = await sql<Admitted>`
    insert into source_admissions (window_id, seq, at, skew, connection_id)
    select newest.window_id, newest.seq + 1, newest.t, newest.skew, ${connectionId}
    from (
      select window_id, seq, at, skew, ${databaseNow} + skew as t
      from source_admissions where window_id = ${id} order by seq desc limit 1
    ) as newest
    where newest.t >= newest.at
      and not exists (select 1 from source_admissions as bound
        where bound.window_id = ${id} and bound.seq = newest.seq - cast(${limit - 1} as bigint)
          and bound.at > newest.t - cast(${windowMs} as bigint))
      and not exists (select 1 from source_waits as wait where wait.window_id = ${id}
        and (wait.connection_id = ${connectionId} or wait.until > newest.t))
    on conflict (window_id, seq) do nothing
    returning seq, at`.execute(db);
  return rows[0];
}

/** Returns when the request with this number was admitted, or null when the row was removed or never existed. */
export async function admittedAt(db: Db, windowId: number, seq: number): Promise<number | null> {
  const row = await db
    .selectFrom('source_admissions')
    .select('at')
    .where('window_id', '=', windowId)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row?.at ?? null;
}

/** Returns the other connections that wait at the time `t`, with the number of their requests after `cutoff`. */
export async function othersWaiting(
  db: Db,
  { windowId, limit, connectionId }: Asking,
  {
    newestSeq,
    cutoff,
    t,
  }: { readonly newestSeq: number; readonly cutoff: number; readonly t: number },
): Promise<Waiting[]> {
  const rows = await db
    .selectFrom('source_waits as wait')
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('source_admissions')
          .select(['connection_id', eb.fn.countAll<number>().as('count')])
          .where('window_id', '=', windowId)
          .where('seq', '>', newestSeq - limit)
          .where('at', '>', cutoff)
          .groupBy('connection_id')
          .as('used'),
      (join) => join.onRef('used.connection_id', '=', 'wait.connection_id'),
    )
    .select(['wait.connection_id', 'wait.since', 'used.count'])
    .where('wait.window_id', '=', windowId)
    .where('wait.connection_id', '<>', connectionId)
    .where('wait.until', '>', t)
    .execute();
  return rows.map(({ connection_id, since, count }) => ({
    connectionId: connection_id,
    since,
    admitted: Number(count ?? 0),
  }));
}

/**
 * Admits a request under the number `seq`. Returns false when another request has taken this number. The admission gets
 * the time at which it is written, but never a time before `t`, at which the window had room.
 */
export async function admit(
  db: Db,
  databaseNow: RawBuilder<number>,
  { windowId, seq, connectionId, t, skew }: WindowTime & Omit<Asking, 'limit'> & { seq: number },
): Promise<boolean> {
  const earliest = sql<number>`cast(${t} as bigint)`;
  const later = sql<number>`${databaseNow} + cast(${skew} as bigint)`;
  const result = await db
    .insertInto('source_admissions')
    .values({
      window_id: windowId,
      seq,
      at: sql<number>`case when ${later} > ${earliest} then ${later} else ${earliest} end`,
      skew,
      connection_id: connectionId,
    })
    .onConflict((conflict) => conflict.columns(['window_id', 'seq']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * Stores the skew (window.ts) with the newest admission, unless a greater one is stored: the process that first notices
 * that the clock was set back computes the greatest skew.
 */
export async function setSkew(
  db: Db,
  {
    windowId,
    seq,
    skew,
  }: { readonly windowId: number; readonly seq: number; readonly skew: number },
): Promise<void> {
  await db
    .updateTable('source_admissions')
    .set({ skew })
    .where('window_id', '=', windowId)
    .where('seq', '=', seq)
    .where('skew', '<', skew)
    .execute();
}

/** Removes some of the oldest admissions, if they are not after `cutoff`. */
export async function prune(
  db: Db,
  windowId: number,
  { cutoff, newestSeq }: { readonly cutoff: number; readonly newestSeq: number },
): Promise<void> {
  const oldest = db
    .selectFrom('source_admissions')
    .select(({ fn }) => sql<number>`${fn.min('seq')} + ${sql.lit(PRUNED_ROWS)}`.as('seq'))
    .where('window_id', '=', windowId);
  await db
    .deleteFrom('source_admissions')
    .where('window_id', '=', windowId)
    .where('at', '<=', cutoff)
    .where('seq', '<', newestSeq)
    .where('seq', '<', oldest)
    .execute();
}

/**
 * Keeps a turn for the connection until `until`. A connection that already waits keeps its place, by its old `since`.
 */
export async function keepTurn(
  db: Db,
  { windowId, connectionId }: Omit<Asking, 'limit'>,
  { since, until }: Turn,
): Promise<void> {
  await db
    .insertInto('source_waits')
    .values({ window_id: windowId, connection_id: connectionId, since, until })
    .onConflict((conflict) =>
      conflict.columns(['window_id', 'connection_id']).doUpdateSet({ since, until }),
    )
    .execute();
}

export const endTurn = (db: Db, { windowId, connectionId }: Omit<Asking, 'limit'>) =>
  db
    .deleteFrom('source_waits')
    .where('window_id', '=', windowId)
    .where('connection_id', '=', connectionId)
    .execute();
