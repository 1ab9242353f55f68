/**
 * Leases and due times are compared with the clock of the database, because the clocks of machines differ and a machine
 * may have been suspended. For an embedded database this is the clock of its process.
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

export async function databaseTime(db: Db, kind: DatabaseKind): Promise<Date> {
  if (kind === 'sqlite') return new Date();
  const { rows } = await sql<{ now: number }>`select ${nowMs(kind)} as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database did not return its time');
  return new Date(row.now);
}
