/**
 * Each process on PostgreSQL has a row that says which migrations it knows, and that it is alive. The times are those of the
 * clock of the database.
 */
import { sql } from 'kysely';
import { isHeld, nowMs } from './clock.ts';
import type { DatabaseKind } from './connect.ts';
import type { Db, ProcessTable } from './schema.ts';

/** A process renews its row every five seconds (join-processes.ts), so it may miss five renewals. */
const ALIVE_MS = 30_000;
/** Rows of processes that were killed are kept for a while, for whoever looks for them. */
const KEPT_MS = 3_600_000;

export type ProcessFacts = Omit<ProcessTable, 'started_at' | 'alive_until'>;

/** Adds the row, or makes it live longer. */
export async function renewProcess(db: Db, kind: DatabaseKind, facts: ProcessFacts): Promise<void> {
  const aliveUntil = sql<number>`${nowMs(kind)} + ${sql.lit(ALIVE_MS)}`;
  await db
    .insertInto('processes')
    .values({ ...facts, started_at: nowMs(kind), alive_until: aliveUntil })
    .onConflict((on) => on.column('id').doUpdateSet({ alive_until: aliveUntil }))
    .execute();
}

export async function removeProcess(db: Db, id: string): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', id).execute();
}

/** Removes the rows of processes that ended long ago without a word. */
export async function removeLostProcesses(db: Db, kind: DatabaseKind): Promise<void> {
  await db
    .deleteFrom('processes')
    .where('alive_until', '<', sql<number>`${nowMs(kind)} - ${sql.lit(KEPT_MS)}`)
    .execute();
}

export const aliveProcesses = (db: Db, kind: DatabaseKind): Promise<ProcessTable[]> =>
  db
    .selectFrom('processes')
    .selectAll()
    .where(isHeld(nowMs(kind), 'alive_until', ALIVE_MS))
    .orderBy('started_at')
    .orderBy('id')
    .execute();
