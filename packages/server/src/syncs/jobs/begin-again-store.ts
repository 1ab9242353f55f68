/** Lets a job begin again from the start after its source has forgotten where it may go on. */
import { sql } from 'kysely';
import { nowMs } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Tx } from '../../db/schema.ts';
import { heartbeat, release } from '../../jobs/queue.ts';
import { lockConnection } from './connection-store.ts';
import { connectionOfJob, nextModifiedAt, type SyncClaim } from './job-store.ts';

/** A job begins again at most this often, because otherwise a source that always refuses would be asked without end. */
const MAX_BEGINNINGS = 3;

/**
 * Lets the job begin again from the start, because its source no longer knows the cursor or the bookmark: both are
 * removed, so the next attempt pulls in full under a new generation. Resolves false when the attempt had neither, when
 * the job has begun again too often or was asked to stop, and when another worker has the job or its connection is
 * deleted.
 */
export async function beginAgain(
  tx: Tx,
  kind: DatabaseKind,
  { claim, reason }: { readonly claim: SyncClaim; readonly reason: string },
): Promise<boolean> {
  const { jobId } = claim.data;
  const connectionId = await connectionOfJob(tx, jobId);
  if (!connectionId || !(await lockConnection(tx, connectionId))) return false;
  if (!(await heartbeat(tx, kind, claim))) return false;
  const job = await tx
    .updateTable('sync_jobs')
    .set({
      bookmark: null,
      begun_again: sql`begun_again + 1`,
      waits_for: reason,
      waits_until: nowMs(kind),
      modified_at: nextModifiedAt(Date.now()),
    })
    .where('id', '=', jobId)
    .where('status', '=', 'RUNNING')
    .where('begun_again', '<', MAX_BEGINNINGS)
    .where((eb) => eb.or([eb('full', '=', false), eb('bookmark', 'is not', null)]))
    .returning('full')
    .executeTakeFirst();
  if (!job) return false;
  if (!job.full)
    await tx
      .updateTable('connections')
      .set({ cursor: null })
      .where('id', '=', connectionId)
      .execute();
  await release(tx, kind, { job: claim, afterMs: 0 });
  return true;
}
