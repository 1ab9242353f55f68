/**
 * This file starts the syncs whose time has come.
 *
 * The transaction that starts a job also writes the next time, and only if it still finds the old time there, so
 * that a run starts only once on many machines. A run that would overlap another is skipped; a run that was missed
 * while no worker ran is caught up once. Refused credentials pause the schedule. A continuous connection is pulled
 * in full often enough to notice deletions.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Syncs } from '../syncs/service.ts';
import { isFullDue, nextRun } from './schedule.ts';
import * as store from './store.ts';

/** Starts the due syncs of at most 100 connections. Returns how many jobs it has started. */
export async function startDue(
  { db, syncs }: { db: Kysely<Schema>; syncs: Syncs },
  now: Date,
): Promise<number> {
  let started = 0;
  for (const due of await store.due(db, now.getTime())) {
    const job = await db.transaction().execute(async (tx) => {
      // Since the row was read, the credentials may have been refused or the schedule changed.
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
