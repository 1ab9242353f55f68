/**
 * Leases and due times are compared with the clock of the database, because the clocks of machines differ and a machine
 * may have been suspended. For an embedded database this is the clock of its process.
 *
 * That clock may be set back, too, also by a failover to another machine. A lease of before then ends too far in the future,
 * and counts as run out.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './connect.ts';
import type { Db } from './schema.ts';

/** Returns an SQL expression for the milliseconds since 1970. */
export const nowMs = (kind: DatabaseKind): RawBuilder<number> =>
  kind === 'postgres'
    ? // As a subquery, the expression is evaluated only once per statement, so that a comparison with it can use an index.
      sql<number>`(select cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`
    : sql<number>`cast(${Date.now()} as bigint)`;

/** Returns an SQL expression for the time after this many milliseconds. */
export const timeAfter = (kind: DatabaseKind, ms: number): RawBuilder<number> =>
  sql<number>`${nowMs(kind)} + cast(${Math.ceil(ms)} as bigint)`;

type TimeNow = number | RawBuilder<number>;

/** Returns an SQL condition: the lease ends later than any that was given by the clock as it is now. */
export const endsTooLate = (now: TimeNow, column: string, leaseMs: number): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} > ${now} + cast(${sql.lit(2 * leaseMs)} as bigint)`;

/** Returns an SQL condition: somebody has the lease that ends at the time in the column. */
export const isHeld = (now: TimeNow, column: string, leaseMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} >= ${now} and not ${endsTooLate(now, column, leaseMs)})`;

export async function databaseTime(db: Db, kind: DatabaseKind): Promise<Date> {
  if (kind === 'sqlite') return new Date();
  const { rows } = await sql<{ now: number }>`select ${nowMs(kind)} as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database did not return its time');
  return new Date(row.now);
}
