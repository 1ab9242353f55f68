/** In these helpers, a worker of a test claims a job or a task. */
import { sql } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db } from '../db/schema.ts';
import { type ClaimedJob, type Jobs, LEASE_MS } from '../jobs/queue.ts';
import { newId } from '../util.ts';

/** Puts the sync job into the queue of its connection, under a lease of a worker. */
export const claimJob = (
  db: Db,
  kind: DatabaseKind,
  { jobId, connectionId }: { readonly jobId: string; readonly connectionId: string },
) => insertClaimed(db, kind, { name: 'sync.run', data: { jobId }, lane: connectionId });

/** Puts the task of maintenance into a lane of its own, under a lease of a worker. */
export const claimTask = (db: Db, kind: DatabaseKind, taskId: string) =>
  insertClaimed(db, kind, { name: 'maintenance.task', data: { taskId }, lane: newId() });

/** Gives the job to another worker, and returns the claim of that worker. */
export async function stealJob<Claimed extends ClaimedJob>(
  db: Db,
  claimed: Claimed,
): Promise<Claimed> {
  const leaseToken = newId();
  await db
    .updateTable('jobs')
    .set({ lease_token: leaseToken })
    .where('id', '=', claimed.id)
    .execute();
  return { ...claimed, leaseToken };
}

/**
 * Takes the jobs of this lane from the worker that has claimed them, and adds jobs that do nothing. That worker claims
 * the new jobs only after it has stopped its work, so an empty lane shows that it has stopped.
 */
export async function stealLane(db: Db, lane: string): Promise<void> {
  const nothing = JSON.stringify({ subscriptionId: newId() });
  await db
    .updateTable('jobs')
    .set({ name: 'webhook.cleanup', data: nothing, lease_token: null, lease_until: null })
    .where('lane', '=', lane)
    .execute();
}

/** The row is inserted with its lease, so a worker that looks for jobs at the same time cannot claim it. */
async function insertClaimed<Name extends keyof Jobs>(
  db: Db,
  kind: DatabaseKind,
  { name, data, lane }: { readonly name: Name; readonly data: Jobs[Name]; readonly lane: string },
) {
  const [id, leaseToken] = [newId(), newId()];
  await db
    .insertInto('jobs')
    .values({
      id,
      name,
      data: JSON.stringify(data),
      lane,
      run_at: 0,
      attempts: 1,
      lease_token: leaseToken,
      lease_until: sql<number>`${nowMs(kind)} + ${sql.lit(LEASE_MS)}`,
    })
    .execute();
  return { id, name, data, leaseToken, attempt: 1 };
}
