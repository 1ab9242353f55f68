/**
 * This file starts the syncs that are due.
 *
 * The transaction that starts a job also moves `next_run_at` of the connection, but only if `next_run_at` still has the
 * value that this worker has read. So only one of many workers starts the job. While a job of the connection has not
 * ended, no other job starts. When several runs were missed because no worker ran, only one run takes their place. No
 * job starts while nobody has signed in, while the source refuses the credentials, or while the operator has switched
 * the source off. A continuous connection gets a full sync from time to time, because incremental syncs may not notice
 * deletions, and do not meet a record again that failed.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { needsSignIn } from '../sign-in/needed.ts';
import type { Source } from '../sources/define.ts';
import type { Syncs } from '../syncs/service.ts';
import { isFullDue, nextRun } from './schedule.ts';
import * as store from './store.ts';

export interface DueDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly syncs: Syncs;
  /** A source that is not in this map has been switched off. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Starts the due syncs of at most 100 connections. Returns the number of started jobs. */
export async function startDue({ db, kind, syncs, sources }: DueDeps, now: Date): Promise<number> {
  let started = 0;
  for (const due of await store.due(db, now.getTime())) {
    const job = await db.transaction().execute(async (tx) => {
      // The row is read again: since `store.due`, the credentials may have been refused, or `continuous` or `full_every`
      // may have changed. It is undefined when another worker was faster, or when the cron was changed.
      const next = nextRun(due.cron, now);
      const row = await store.moveNextRun(tx, kind, { row: due, next });
      if (!row) return undefined;
      const mayAsk = sources.has(row.short_name) && !needsSignIn(row) && row.refused_at === null;
      if (!mayAsk || (await syncs.isBusy(tx, row.id))) return undefined;
      const force =
        row.continuous &&
        isFullDue(row, await syncs.lastFull(tx, row.id), { now: now.getTime(), next });
      return syncs.start(tx, row, { trigger: 'schedule', force, email: null });
    });
    if (job) started++;
  }
  return started;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Brings runs forward that are later than their schedule says. Their times were written while the clock was ahead, and
 * without this they would come only when it is that late again. Runs of the next day come soon enough by themselves.
 */
export async function bringForward(
  { db, kind }: Pick<DueDeps, 'db' | 'kind'>,
  now: Date,
): Promise<void> {
  for await (const page of store.runningAfter(db, now.getTime() + DAY_MS))
    for (const row of page) {
      const next = nextRun(row.cron, now);
      if (next !== null && row.next_run_at !== null && row.next_run_at > next)
        await db.transaction().execute((tx) => store.moveNextRun(tx, kind, { row, next }));
    }
}
