/** Starts jobs of a connection, in the caller's transaction. */
import type { SyncJobTable, Tx } from '../db/schema.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Cause } from '../telemetry/trace.ts';
import * as jobs from './jobs/job-store.ts';
import * as list from './jobs/list-store.ts';
import { insertJob } from './jobs/new-job-store.ts';
import { forgetRefusals } from './jobs/refusal-store.ts';
import { toSourceConnectionJob } from './jobs/view.ts';
import type { SyncedConnection } from './pipeline/run-store.ts';
import type { SourceConnectionJob } from './schema.ts';

export interface StartOptions {
  /** Pushes are started by start-pushes.ts. */
  readonly trigger: Exclude<SyncJobTable['trigger'], 'push'>;
  /** If true, the sync ignores the cursor of a continuous connection, and pulls in full. */
  readonly force?: boolean;
  readonly acceptDeletions?: boolean;
  readonly email: string | null;
  /** The request that has caused the job, if one has. */
  readonly cause?: Cause | undefined;
}

/** Puts a job into the connection's lane, in the caller's transaction. */
export async function start(
  tx: Tx,
  connection: SyncedConnection,
  options: StartOptions,
): Promise<SourceConnectionJob> {
  const incremental = !jobs.isPull(options.trigger) || (jobs.canGoOn(connection) && !options.force);
  // The caller wants everything to be read again.
  if (options.force) await forgetRefusals(tx, connection.id);
  const current = await list.collectionConfig(tx, connection.collection_id);
  // A change of sync_config takes effect with the next full sync, because only a full sync processes all records.
  const last = incremental ? await jobs.lastFullConfig(tx, connection.id) : undefined;
  const job = await insertJob(tx, {
    organizationId: connection.organization_id,
    connectionId: connection.id,
    syncId: connection.sync_id,
    trigger: options.trigger,
    full: !incremental,
    acceptDeletions: options.acceptDeletions ?? false,
    syncConfig: last === undefined ? current : last,
    email: options.email,
    cause: options.cause,
  });
  await enqueue(tx, 'sync.run', {
    data: { jobId: job.id },
    lane: connection.id,
    cause: options.cause,
  });
  return toSourceConnectionJob(job, null);
}
