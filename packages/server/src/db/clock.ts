/**
 * Leases and due times use one clock, that of the database, because the clocks of machines differ and a machine may
 * have slept. An embedded database has only the clock of its process.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './connect.ts';
import type { Db } from './schema.ts';

/** Gives the milliseconds since 1970 as an expression of a statement. */
export const nowMs = (kind: DatabaseKind): RawBuilder<number> =>
  kind === 'postgres'
    ? // A subquery is evaluated once per statement, so an index can serve a comparison with it.
      sql<number>`(select cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`
    : sql<number>`cast(${Date.now()} as bigint)`;

export async function databaseTime(db: Db, kind: DatabaseKind): Promise<Date> {
  if (kind === 'sqlite') return new Date();
  const { rows } = await sql<{ now: number }>`select ${nowMs(kind)} as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database did not tell the time');
  return new Date(row.now);
}
