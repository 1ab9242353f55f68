/** Writes the events of jobs. */
import type { Tx } from '../../db/schema.ts';
import { emit } from '../../events/store.ts';
import type { OutboxEvent } from '../../events/types.ts';
import type { Cause } from '../../telemetry/trace.ts';
import { must } from '../../util.ts';
import type { JobRow } from './job-store.ts';

const TYPE = {
  PENDING: 'sync.pending',
  RUNNING: 'sync.running',
  COMPLETED: 'sync.completed',
  FAILED: 'sync.failed',
  CANCELLED: 'sync.cancelled',
} as const;

/**
 * Writes an event for each of these jobs, about the status that the job has now. `cause` is the request that has caused
 * the jobs, if one has.
 */
export const emitJobEvents = (
  tx: Tx,
  moved: readonly JobRow[],
  cause?: Cause | null,
): Promise<void> =>
  emitEventsOf(
    tx,
    moved.map((job) => ({ job, cause })),
  );

/** The events have the order of the list. */
export async function emitEventsOf(
  tx: Tx,
  moved: readonly { readonly job: JobRow; readonly cause?: Cause | null | undefined }[],
): Promise<void> {
  if (moved.length === 0) return;
  const rows = await tx
    .selectFrom('connections')
    .innerJoin('collections', 'collections.id', 'connections.collection_id')
    .select(['collections.id', 'collections.readable_id', 'collections.name'])
    .select(['connections.short_name', 'connections.id as connection_id'])
    .where('connections.id', 'in', [...new Set(moved.map(({ job }) => job.connection_id))])
    .execute();
  const about = new Map(rows.map((row) => [row.connection_id, row]));
  await emit(
    tx,
    ...moved.map(({ job, cause }) => ({
      ...toEvent(job, must(about.get(job.connection_id))),
      cause,
    })),
  );
}

function toEvent(
  job: JobRow,
  about: { id: string; readable_id: string; name: string; short_name: string },
): OutboxEvent {
  if (job.status === 'CANCELLING') throw new Error('a request to stop a job is not an event');
  return {
    type: TYPE[job.status],
    organizationId: job.organization_id,
    collectionId: about.id,
    connectionId: job.connection_id,
    fields: {
      sync_id: job.sync_id,
      sync_job_id: job.id,
      job_id: job.id,
      collection_id: about.id,
      collection_readable_id: about.readable_id,
      collection_name: about.name,
      source_connection_id: job.connection_id,
      source_type: about.short_name,
      status: job.status,
      entities_inserted: job.entities_inserted,
      entities_updated: job.entities_updated,
      entities_deleted: job.entities_deleted,
      entities_skipped: job.entities_skipped,
      chunks_written: job.chunks_written,
      error: job.error,
    },
  };
}
