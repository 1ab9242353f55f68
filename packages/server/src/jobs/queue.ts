/**
 * The only queue of background jobs is a table of the database, whose rows are called entries.
 *
 * A job is enqueued in the transaction that causes it, so it exists exactly if its cause does. Jobs of one lane run one
 * at a time, in the order in which they were enqueued. A claim is a lease with a token, which a heartbeat keeps
 * renewing: when a worker dies, its lease runs out and the job is claimed again. A worker that finishes a job deletes
 * its row, unless it has lost the lease.
 *
 * A worker counts as alive while it holds a lease, not while it makes progress: a heartbeat every 5 s renews the lease
 * for 30 s, so a worker whose event loop is starved, or that waits for a slow source, may miss five heartbeats. The job
 * of a dead worker is claimed 30 s after its last heartbeat. A worker on a machine that slept finds that its lease has
 * run out: it renews the lease if no other worker has claimed the job. Otherwise it stops at its next commit. All times
 * come from db/clock.ts. When that clock is set back, an older lease ends too far in the future, so it counts as run
 * out unless a heartbeat has renewed it, and a time that is further away than any job may wait counts as passed.
 */
import { sql } from 'kysely';
import { isHeld, nowMs, timeAfter } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Tx } from '../db/schema.ts';
import type { Cause } from '../telemetry/trace.ts';
import { chunked, newId } from '../util.ts';

/** Each kind of job has a name, and data of this form. */
export interface Jobs {
  'sync.run': { jobId: string };
  'sync.push': { jobId: string };
  'connection.cleanup': { connectionId: string; collectionId: string };
  'collection.cleanup': { collectionId: string };
  'organization.cleanup': { organizationId: string };
  'maintenance.task': { taskId: string };
  'webhook.recover': { recoveryId: string };
  'webhook.cleanup': { subscriptionId: string };
}

export type ClaimedJob = {
  [Name in keyof Jobs]: {
    readonly id: string;
    readonly name: Name;
    readonly data: Jobs[Name];
    readonly leaseToken: string;
    /** The first attempt has the number 1. */
    readonly attempt: number;
    /** It is missing or null when no request has caused the job, such as a scheduled one. */
    readonly cause?: Cause | null;
  };
}[keyof Jobs];

/** A worker of a newer version beside this one may know further kinds. The compiler checks that the list has all of ours. */
export const KNOWN_JOBS: Readonly<Record<keyof Jobs, true>> = {
  'sync.run': true,
  'sync.push': true,
  'connection.cleanup': true,
  'collection.cleanup': true,
  'organization.cleanup': true,
  'maintenance.task': true,
  'webhook.recover': true,
  'webhook.cleanup': true,
};

/** One statement updates at most this many lanes. */
const LANES = 500;

/** A lease lasts for this long without a heartbeat. */
export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 5000;
/** No job waits for longer than this, which is an hour more than patience.ts allows, because clocks differ. */
export const LONGEST_WAIT_MS = 25 * 3_600_000;
/** One statement inserts at most this many rows. */
const ROWS = 500;

/** A caller enqueues a job with its data and its lane. */
export interface QueuedJob<Name extends keyof Jobs> {
  readonly data: Jobs[Name];
  readonly lane: string;
  /** The request that has caused the job, if one has. */
  readonly cause?: Cause | null | undefined;
}

export const enqueue = <Name extends keyof Jobs>(
  tx: Tx,
  name: Name,
  job: QueuedJob<Name>,
): Promise<void> => enqueueAll(tx, name, [job]);

/** The jobs of a lane run in the order of the list. */
export async function enqueueAll<Name extends keyof Jobs>(
  tx: Tx,
  name: Name,
  jobs: readonly QueuedJob<Name>[],
): Promise<void> {
  for (const some of chunked(jobs, ROWS))
    await tx
      .insertInto('jobs')
      .values(
        some.map(({ data, lane, cause }) => ({
          id: newId(),
          name,
          data: JSON.stringify(data),
          cause: cause ? JSON.stringify(cause) : null,
          lane,
          run_at: 0,
          attempts: 0,
        })),
      )
      .execute();
}

export interface ClaimLimits {
  /** Jobs with these names are not claimed. */
  readonly excluded?: readonly (keyof Jobs)[];
  /**
   * These are the ids of the jobs that this worker runs. It must not claim them itself when their lease has run out.
   */
  readonly running?: readonly string[];
}

/**
 * Takes the first job of each lane, and leases the one of them that has been due longest. Returns undefined when no job
 * is due. A job of a kind that only a newer version knows is left to its workers.
 */
export async function claim(
  db: Db,
  kind: DatabaseKind,
  { excluded = [], running = [] }: ClaimLimits = {},
): Promise<ClaimedJob | undefined> {
  const now = nowMs(kind);
  const leaseToken = newId();
  const names = [
    '',
    ...Object.keys(KNOWN_JOBS).filter((name) => !excluded.some((one) => one === name)),
  ];
  const free = sql<boolean>`(lease_until is null or not ${isHeld(now, 'lease_until', LEASE_MS)})`;
  const due = sql<{ id: string }>`
    select id from jobs
    where (run_at <= ${now} or run_at > ${now} + ${sql.lit(LONGEST_WAIT_MS)}) and ${free}
      and name in (${sql.join(names)}) and id not in (${sql.join(['', ...running])})
      and not exists (select 1 from jobs as before where before.lane = jobs.lane and before.seq < jobs.seq)
    order by run_at, seq limit 1 ${kind === 'postgres' ? sql`for update skip locked` : sql``}`;
  const row = await db
    .updateTable('jobs')
    .set({
      lease_token: leaseToken,
      lease_until: sql<number>`${now} + ${sql.lit(LEASE_MS)}`,
      // The job has begun. If its worker dies and the clock is set back, the next worker must still get the job at
      // once.
      run_at: 0,
      attempts: sql`attempts + 1`,
    })
    .where('id', '=', sql<string>`(${due})`)
    .returning(['id', 'name', 'data', 'attempts', 'cause'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, name, data, attempts, cause } = row;
  return { id, name, data, leaseToken, attempt: attempts, cause } as ClaimedJob;
}

/** Renews the lease, even one that has run out. Resolves false when another worker has the job or the job has ended. */
export async function heartbeat(db: Db, kind: DatabaseKind, job: ClaimedJob): Promise<boolean> {
  const result = await db
    .updateTable('jobs')
    .set({ lease_until: sql<number>`${nowMs(kind)} + ${sql.lit(LEASE_MS)}` })
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function finish(db: Db, job: ClaimedJob): Promise<void> {
  await db
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .execute();
}

/** Makes all waiting jobs of these lanes due now. */
export async function makeDue(tx: Tx, lanes: readonly string[]): Promise<void> {
  for (const some of chunked(lanes, LANES))
    await tx
      .updateTable('jobs')
      .set({ run_at: 0 })
      .where('lane', 'in', some)
      .where('lease_token', 'is', null)
      .execute();
}

/**
 * Gives the job back, so that a worker can claim it after `afterMs` milliseconds. At 0 the job comes before all jobs
 * that became due meanwhile.
 */
export async function release(
  db: Db,
  kind: DatabaseKind,
  { job, afterMs }: { readonly job: ClaimedJob; readonly afterMs: number },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      lease_token: null,
      lease_until: null,
      run_at: afterMs > 0 ? timeAfter(kind, afterMs) : 0,
    })
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .execute();
}

/**
 * Frees all leases after the worker of this machine has died. The caller must know that no other process can have a
 * lease. Each job is tried again after a wait that grows with its attempts, so that a job that kills its worker leaves
 * room for the others.
 */
export async function giveBackAll(db: Db, kind: DatabaseKind): Promise<void> {
  const wait = sql<number>`case when attempts > 5 then 60000 else 1000 * (1 << attempts) end`;
  await db
    .updateTable('jobs')
    .set({
      lease_token: null,
      lease_until: null,
      run_at: sql<number>`${nowMs(kind)} + ${wait}`,
    })
    .where('lease_token', 'is not', null)
    .execute();
}

/**
 * Frees all leases when a process with an embedded database starts. No other process can hold a lease there, so all of
 * them belong to dead workers. A job that waits for a time keeps waiting, because a source that asked us to wait must
 * not be asked earlier only because we restarted.
 */
export async function takeOverAll(db: Db): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_token: null, lease_until: null, run_at: 0 })
    .where('lease_token', 'is not', null)
    .execute();
}
