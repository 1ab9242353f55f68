/**
 * A bookmark is the place where a full pull may go on after its worker has died or the source has asked us to wait. It
 * has a position that the source understands, and the partitions that were listed, met or lost before it. All records
 * before it are committed with it or earlier. The place of an incremental pull is the cursor of its connection.
 */
import { sql } from 'kysely';
import type { Bookmark, Db, SettledCounts, Tx } from '../../db/schema.ts';
import { chunked } from '../../util.ts';
import type { CursorOrigin } from './connection-store.ts';
import type { Listing } from './listing.ts';
import type { Tally } from './tally.ts';

const ROWS = 500;

export interface BookmarkUpdate {
  readonly position: unknown;
  /** These partitions were listed, met or lost since the bookmark before this one. */
  readonly additions: Listing;
}

/**
 * Stores the bookmark with the counters of the job up to it. The records that the job has left out so far came before
 * the bookmark, so they are marked as settled: an attempt that goes on at the bookmark keeps them. Only a new position is
 * progress, after which the job may fail to reach its source as often as at its beginning.
 */
export async function writeBookmark(
  tx: Tx,
  job: CursorOrigin & { readonly jobId: string },
  { position, additions, tally }: BookmarkUpdate & { readonly tally: Tally },
): Promise<void> {
  const { jobId } = job;
  const bookmark: Bookmark = { position, ...settledCounts(job, tally) };
  const before = await tx
    .selectFrom('sync_jobs')
    .select('bookmark')
    .where('id', '=', jobId)
    .executeTakeFirst();
  const isProgress = JSON.stringify(before?.bookmark?.position) !== JSON.stringify(position);
  await tx
    .updateTable('sync_jobs')
    .set({ bookmark: JSON.stringify(bookmark), ...(isProgress && { retries: 0 }) })
    .where('id', '=', jobId)
    .execute();
  await settleLeftOut(tx, jobId);
  const { met, listed, lost } = additions;
  const parts = [...new Set([...met, ...listed, ...lost])].map((partition) => ({
    job_id: jobId,
    partition,
    is_listed: listed.has(partition),
    lost: lost.has(partition),
  }));
  for (const some of chunked(parts, ROWS))
    await tx
      .insertInto('job_partitions')
      .values([...some])
      .onConflict((conflict) =>
        conflict.columns(['job_id', 'partition']).doUpdateSet({
          is_listed: sql`job_partitions.is_listed or excluded.is_listed`,
          lost: sql`job_partitions.lost or excluded.lost`,
        }),
      )
      .execute();
}

/**
 * Notes what an incremental job has left out so far, in the transaction that stores its cursor: an attempt that goes on
 * at the cursor does not meet these records again, and keeps them.
 */
export async function settleAtCursor(
  tx: Tx,
  job: CursorOrigin & { readonly jobId: string },
  tally: Tally,
): Promise<void> {
  await tx
    .updateTable('sync_jobs')
    .set({ settled: JSON.stringify(settledCounts(job, tally)) })
    .where('id', '=', job.jobId)
    .execute();
  await settleLeftOut(tx, job.jobId);
}

const settledCounts = (
  { configuredAt, cursorField }: CursorOrigin,
  { skipped, failed, leftOut, skippedBy, byType }: Tally,
): SettledCounts => ({
  configuredAt,
  cursorField,
  skipped,
  failed,
  leftOut,
  skippedBy,
  failedBy: byType.failed,
});

const settleLeftOut = (tx: Tx, jobId: string) =>
  tx
    .updateTable('left_out_records')
    .set({ settled: true })
    .where('job_id', '=', jobId)
    .where('settled', '=', false)
    .execute();

/** Reads the listing that an interrupted pull made before its bookmark. */
export async function listingOf(db: Db, jobId: string): Promise<Listing> {
  const parts = await db
    .selectFrom('job_partitions')
    .select(['partition', 'is_listed', 'lost'])
    .where('job_id', '=', jobId)
    .execute();
  const names = (rows: readonly { partition: string }[]) =>
    new Set(rows.map(({ partition }) => partition));
  return {
    met: names(parts),
    listed: names(parts.filter(({ is_listed }) => is_listed)),
    lost: names(parts.filter(({ lost }) => lost)),
  };
}

export const forgetPartitions = (tx: Tx, jobId: string) =>
  tx.deleteFrom('job_partitions').where('job_id', '=', jobId).execute();
