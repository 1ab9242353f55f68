/** Starts jobs of a connection, in the caller's transaction. */
import type { DatabaseKind } from '../db/connect.ts';
import type { SyncJobTable, Tx } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import { enqueue } from '../jobs/queue.ts';
import type { StoredPush } from '../model/pushed.ts';
import type { Cause } from '../telemetry/trace.ts';
import * as jobs from './jobs/job-store.ts';
import * as list from './jobs/list-store.ts';
import { keepPushKey, pushOfKey } from './jobs/push-key-store.ts';
import { keepPush } from './jobs/push-store.ts';
import { forgetRefusals } from './jobs/refusal-store.ts';
import { toSourceConnectionJob } from './jobs/view.ts';
import type { SyncedConnection } from './pipeline/run-store.ts';
import type { SourceConnectionJob } from './schema.ts';

export interface StartOptions {
  readonly trigger: SyncJobTable['trigger'];
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
  const job = await jobs.insert(tx, {
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
  const name = options.trigger === 'push' ? 'sync.push' : 'sync.run';
  await enqueue(tx, name, { data: { jobId: job.id }, lane: connection.id, cause: options.cause });
  return toSourceConnectionJob(job, null);
}

/**
 * Starts a push, which is a job whose packed body is stored with it. The caller has locked the connection. Returns the
 * job that the key of the push has started before, if there is one.
 */
export async function startPush(
  tx: Tx,
  kind: DatabaseKind,
  {
    connection,
    push,
  }: {
    readonly connection: SyncedConnection;
    readonly push: StoredPush & {
      readonly cause?: Cause;
      readonly email: string;
      /** This is null when the caller gave no key. */
      readonly idempotency: { readonly key: string; readonly digest: string } | null;
    };
  },
): Promise<SourceConnectionJob> {
  const { idempotency } = push;
  const key = idempotency && { connectionId: connection.id, key: idempotency.key };
  const earlier = key && (await pushOfKey(tx, kind, key));
  if (earlier && earlier.digest !== idempotency?.digest)
    throw invalid('this Idempotency-Key came with another body: use a new key for a new push', {
      loc: ['headers', 'idempotency-key'],
      code: 'idempotency_key_reused',
    });
  const repeated = earlier && (await list.findOfConnection(tx, connection.id, earlier.job_id));
  if (repeated) return toSourceConnectionJob(repeated, null);
  const job = await start(tx, connection, {
    trigger: 'push',
    email: push.email,
    cause: push.cause,
  });
  await keepPush(tx, job.id, push);
  if (key) await keepPushKey(tx, kind, { ...key, digest: idempotency.digest, jobId: job.id });
  return job;
}
