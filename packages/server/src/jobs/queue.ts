/**
 * Background jobs, kept in the database. There is no other queue.
 *
 * A job is enqueued in the transaction that causes it, so it exists exactly if its cause does. Jobs of
 * one lane run one at a time, in the order in which they came. A claim is a lease with a token that a
 * heartbeat keeps renewing: when a worker dies the lease runs out and the job is claimed again. A
 * finished job's row is deleted; whoever lost the lease deletes nothing.
 *
 * Alive is who holds a lease, not who gets on: a heartbeat every 5 s renews it for 30 s, so a worker
 * whose event loop is starved, or who waits for a slow source, may miss five of them. A job of a dead one
 * is claimed 30 s after its last heartbeat. A machine that slept finds its lease run out: it renews it if
 * nobody has claimed the job, and stops at its next commit if somebody has. All times are read from
 * db/clock.ts. When that clock is set back, a lease of before ends too late to say anything: it counts as
 * run out, unless a heartbeat has renewed it.
 */
import { sql } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Tx } from '../db/schema.ts';
import { chunked, newId } from '../util.ts';

/** Every job there is, by name. */
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
    /** One-based. */
    readonly attempt: number;
  };
}[keyof Jobs];

/** Lanes a statement. */
const LANES = 500;

/** How long a lease holds without a heartbeat. */
export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 5000;
/** In one statement. */
const ROWS = 500;

export const enqueue = <Name extends keyof Jobs>(
  tx: Tx,
  name: Name,
  data: Jobs[Name],
  lane: string,
): Promise<void> => enqueueAll(tx, name, [{ data, lane }]);

/** In this order. */
export async function enqueueAll<Name extends keyof Jobs>(
  tx: Tx,
  name: Name,
  jobs: readonly { readonly data: Jobs[Name]; readonly lane: string }[],
): Promise<void> {
  const now = Date.now();
  for (const some of chunked(jobs, ROWS))
    await tx
      .insertInto('jobs')
      .values(
        some.map(({ data, lane }) => ({
          id: newId(),
          name,
          data: JSON.stringify(data),
          lane,
          run_at: 0,
          attempts: 0,
          created_at: now,
        })),
      )
      .execute();
}

export interface ClaimLimits {
  readonly leftOut?: readonly (keyof Jobs)[];
  /** Ids of the jobs that this worker runs: if one's lease has run out, it is not for itself to take. */
  readonly running?: readonly string[];
}

/** Leases the oldest due job whose lane is free and that is not left out, or gives undefined. */
export async function claim(
  db: Db,
  kind: DatabaseKind,
  { leftOut = [], running = [] }: ClaimLimits = {},
): Promise<ClaimedJob | undefined> {
  const now = nowMs(kind);
  const leaseToken = newId();
  const free = sql<boolean>`(lease_until is null or lease_until < ${now} or lease_until > ${now} + ${sql.lit(2 * LEASE_MS)})`;
  const due = sql<{ id: string }>`
    select id from jobs
    where run_at <= ${now} and ${free}
      and name not in (${sql.join(['', ...leftOut])}) and id not in (${sql.join(['', ...running])})
      and not exists (select 1 from jobs as before where before.lane = jobs.lane and before.seq < jobs.seq)
    order by run_at, seq limit 1 ${kind === 'postgres' ? sql`for update skip locked` : sql``}`;
  const row = await db
    .updateTable('jobs')
    .set({
      lease_token: leaseToken,
      lease_until: sql<number>`${now} + ${sql.lit(LEASE_MS)}`,
      // It has begun: a clock that is set back must not put off who takes it over.
      run_at: 0,
      attempts: sql`attempts + 1`,
    })
    .where('id', '=', sql<string>`(${due})`)
    .returning(['id', 'name', 'data', 'attempts'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, name, data, attempts } = row;
  return { id, name, data, leaseToken, attempt: attempts } as ClaimedJob;
}

/** False when the lease has been lost. One that has only run out is renewed. */
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

/** What waits in these lanes for a later time is due now. */
export async function makeDue(tx: Tx, lanes: readonly string[]): Promise<void> {
  for (const some of chunked(lanes, LANES))
    await tx
      .updateTable('jobs')
      .set({ run_at: 0 })
      .where('lane', 'in', some)
      .where('lease_token', 'is', null)
      .execute();
}

/** Gives the job back, to be claimed again after so long; at 0, before all that became due meanwhile. */
export async function release(
  db: Db,
  kind: DatabaseKind,
  job: ClaimedJob,
  afterMs: number,
): Promise<void> {
  const runAt = sql<number>`${nowMs(kind)} + cast(${Math.ceil(afterMs)} as bigint)`;
  await db
    .updateTable('jobs')
    .set({ lease_token: null, lease_until: null, run_at: afterMs > 0 ? runAt : 0 })
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .execute();
}

/**
 * The worker of this machine died, and nobody else can hold a lease: its jobs are tried again, later each
 * time, so that one that kills its worker leaves the others room.
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
 * An embedded start: nobody else can hold a lease, so all that stand are of the dead. What waits for its
 * time goes on waiting: a source that asked for patience is not asked again because we were restarted.
 */
export async function takeOverAll(db: Db): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_token: null, lease_until: null, run_at: 0 })
    .where('lease_token', 'is not', null)
    .execute();
}
