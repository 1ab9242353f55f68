/** These queries remove what has ended by itself, a few rows at a time. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import { endsAt } from './session-ends.ts';
import { WINDOW_MS } from './throttle.ts';

const ROWS_PER_STEP = 500;

/** Removes ended sessions, invitations and start links, and failed sign-ins that no longer count. Yields after each step. */
export async function* forgetEnded(db: Db, now: number): AsyncGenerator<void> {
  const { begunAfter, usedAfter } = endsAt(now);
  const ended: readonly (readonly [string, RawBuilder<unknown>])[] = [
    ['sessions', sql`created_at <= ${begunAfter} or last_used_at <= ${usedAfter}`],
    ['invitations', sql`expires_at <= ${now}`],
    ['start_links', sql`expires_at <= ${now}`],
    ['sign_in_failures', sql`at <= ${now - WINDOW_MS}`],
  ];
  for (const [table, hasEnded] of ended) while (await removeSome(db, table, hasEnded)) yield;
}

/** Returns true when it has removed any rows. */
async function removeSome(db: Db, table: string, where: RawBuilder<unknown>): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where ${where} limit ${sql.lit(ROWS_PER_STEP)})`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}
