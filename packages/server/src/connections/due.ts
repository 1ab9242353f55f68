/**
 * Starts the syncs whose time has come.
 *
 * The next time is written in the transaction that starts the job, and only by the one who still finds
 * the old time there: on many machines a run starts once. A run that would overlap another is skipped,
 * one missed while nobody was up is caught up once. Refused credentials pause the schedule. A continuous
 * connection is pulled in full often enough to notice what was deleted.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Syncs } from '../syncs/service.ts';
import { isFullDue, nextRun } from './schedule.ts';
import * as store from './store.ts';

/** Gives how many jobs were started. */
export async function startDue(
  { db, syncs }: { db: Kysely<Schema>; syncs: Syncs },
  now: Date,
): Promise<number> {
  let started = 0;
  for (const due of await store.due(db, now.getTime())) {
    const job = await db.transaction().execute(async (tx) => {
      // What was read before may have been refused or set anew since.
      const next = nextRun(due.cron, now);
      const row = await store.moveNextRun(tx, due, next);
      if (!row) return undefined;
      if (row.refused_at !== null || (await syncs.isBusy(tx, row.id))) return undefined;
      const force =
        row.continuous &&
        isFullDue(row.full_every, await syncs.lastFull(tx, row.id), { now: now.getTime(), next });
      return syncs.start(tx, row, { trigger: 'schedule', force, email: null });
    });
    if (job) started++;
  }
  return started;
}
