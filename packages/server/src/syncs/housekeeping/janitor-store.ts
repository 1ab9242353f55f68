/**
 * These queries keep the history within its bounds. A query without a lock finds the rows, and then a statement of its
 * own deletes at most 500 of them. Two workers may do this at the same time: the second one finds nothing left.
 */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { ENDED } from '../../model/sync-status.ts';
import { chunked } from '../../util.ts';

const ROWS = 500;
/** A job is in many indexes, so a statement deletes fewer jobs than other rows. */
const JOBS = 100;

export interface EndedJob {
  readonly id: string;
  readonly completed_at: number;
}

/** Finds ended jobs in the order in which they ended, after the last one that was seen. */
export const endedBefore = (
  db: Db,
  before: number,
  last: EndedJob | undefined,
): Promise<EndedJob[]> =>
  db
    .selectFrom('sync_jobs')
    .select(['id', 'completed_at'])
    .$narrowType<{ completed_at: number }>()
    .where('completed_at', '<', before)
    .where(sql<boolean>`(completed_at, id) > (${last?.completed_at ?? -1}, ${last?.id ?? ''})`)
    .orderBy('completed_at')
    .orderBy('id')
    .limit(ROWS)
    .execute();

/** Finds the next connection, in the order of ids, that has more ended jobs than `kept`. */
export async function nextOverfull(db: Db, kept: number, after: string) {
  const count = sql<number>`sum(count)`;
  const row = await db
    .selectFrom('job_counts')
    .select(['connection_id', count.as('count')])
    .where('connection_id', '>', after)
    .where('status', 'in', ENDED)
    .groupBy('connection_id')
    .having(count, '>', kept)
    .orderBy('connection_id')
    .limit(1)
    .executeTakeFirst();
  return row && { connectionId: row.connection_id, excess: row.count - kept };
}

/** Finds the jobs of the connection that ended first. */
export async function firstEnded(
  db: Db,
  connectionId: string,
  query: { readonly before: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('sync_jobs')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('completed_at', '<', query.before)
    .orderBy('completed_at')
    .orderBy('id')
    .limit(Math.min(query.limit, ROWS))
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Selects those of the jobs that are not needed. The newest job of a connection is needed: it shows the connection's
 * state, and whether deletions wait for a confirmation. The last completed full sync is needed: it shows under which
 * configuration the connection was synced. The job of a push is needed while its key is kept.
 */
export async function unneeded(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('sync_jobs as job')
    .select('job.id')
    .where('job.id', 'in', ids)
    .where(({ and, eb, exists, not, or, selectFrom }) => {
      const newer = selectFrom('sync_jobs as newer')
        .select('newer.id')
        .whereRef('newer.connection_id', '=', 'job.connection_id')
        .whereRef('newer.id', '>', 'job.id');
      const key = selectFrom('push_keys').select('key').whereRef('job_id', '=', 'job.id');
      return and([
        exists(newer),
        not(exists(key)),
        or([
          eb('job.full', '=', false),
          eb('job.status', '!=', 'COMPLETED'),
          exists(newer.where('newer.full', '=', true).where('newer.status', '=', 'COMPLETED')),
        ]),
      ]);
    })
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes the jobs, of which there may be at most 500, with all their rows. Yields after each transaction. */
export async function* removeJobs(db: Db, ids: readonly string[]): AsyncGenerator<void> {
  if (ids.length === 0) return;
  while (await removeLeftOut(db, ids)) yield;
  while (await removePartitions(db, await partitionsOf(db).where('job_id', 'in', ids).execute()))
    yield;
  await db.deleteFrom('pushes').where('job_id', 'in', ids).execute();
  yield;
  // Few jobs have such rows, and each of these at most 1,000, so they are deleted job by job.
  for (const { job_id } of await db
    .selectFrom('held_back_deletions')
    .select('job_id')
    .distinct()
    .where('job_id', 'in', ids)
    .execute()) {
    await db.deleteFrom('held_back_deletions').where('job_id', '=', job_id).execute();
    yield;
  }
  // The jobs are deleted last, so that no rows remain of a job that no longer exists.
  for (const some of chunked(ids, JOBS)) {
    await db.deleteFrom('sync_jobs').where('id', 'in', some).execute();
    yield;
  }
}

async function removeLeftOut(db: Db, jobIds: readonly string[]): Promise<boolean> {
  const leftOut = await db
    .selectFrom('left_out_records')
    .select('id')
    .where('job_id', 'in', jobIds)
    .limit(ROWS)
    .execute();
  if (leftOut.length === 0) return false;
  const ids = leftOut.map(({ id }) => id);
  await db.deleteFrom('left_out_records').where('id', 'in', ids).execute();
  return true;
}

const partitionsOf = (db: Db) =>
  db.selectFrom('job_partitions').select(['job_id', 'partition']).limit(ROWS);

async function removePartitions(
  db: Db,
  parts: readonly { readonly job_id: string; readonly partition: string }[],
): Promise<boolean> {
  if (parts.length === 0) return false;
  await db
    .deleteFrom('job_partitions')
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('job_id', 'partition'),
        'in',
        parts.map(({ job_id, partition }) => tuple(job_id, partition)),
      ),
    )
    .execute();
  return true;
}

/** Removes the bodies of pushes whose job no longer exists. Resolves true when it found some. */
export async function removeOrphanedPushes(db: Db): Promise<boolean> {
  const pushes = await db
    .selectFrom('pushes')
    .select('job_id')
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('sync_jobs').select('id').whereRef('id', '=', 'pushes.job_id'))),
    )
    .limit(ROWS)
    .execute();
  if (pushes.length === 0) return false;
  const ids = pushes.map(({ job_id }) => job_id);
  await db.deleteFrom('pushes').where('job_id', 'in', ids).execute();
  return true;
}

/** Removes the partitions (`job_partitions`) of jobs that no longer exist. Resolves true when it found some. */
export const removeOrphanedPartitions = async (db: Db): Promise<boolean> =>
  removePartitions(
    db,
    await partitionsOf(db)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(selectFrom('sync_jobs').select('id').whereRef('id', '=', 'job_partitions.job_id')),
        ),
      )
      .execute(),
  );

/**
 * Removes numbers of chunks that were deleted so long ago that no reader asks for them. Resolves true when it found
 * some.
 */
export async function forgetGone(db: Db, before: number): Promise<boolean> {
  const old = await db
    .selectFrom('gone')
    .select('seq')
    .where('at', '<', before)
    .orderBy('at')
    .limit(ROWS)
    .execute();
  if (old.length === 0) return false;
  const seqs = old.map(({ seq }) => seq);
  await db.deleteFrom('gone').where('seq', 'in', seqs).execute();
  return true;
}
