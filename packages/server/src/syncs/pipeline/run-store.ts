/** These queries read the connection that a sync job works on, and complete the job. */
import type { Kysely, Selectable } from 'kysely';
import type { ConnectionTable, Db, Schema, Tx } from '../../db/schema.ts';
import { type SourceCursor, writeCursor } from '../jobs/connection-store.ts';
import { heldBackDetails } from '../jobs/failure.ts';
import { Fenced } from '../jobs/fence.ts';
import { countHeldBack } from '../jobs/held-back-store.ts';
import { end, type RunningJob } from '../jobs/job-end-store.ts';
import type { JobRow } from '../jobs/job-store.ts';
import { noCounts, type Tally } from '../jobs/tally.ts';
import { switchTo } from './members-store.ts';

export type SyncedConnection = Selectable<ConnectionTable>;

export const connectionOf = (db: Db, id: string): Promise<SyncedConnection> =>
  db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** An attempt begins with the counters that the attempts before it have committed. */
export const tallyOf = (job: JobRow): Tally => ({
  inserted: job.entities_inserted,
  updated: job.entities_updated,
  deleted: job.entities_deleted,
  missing: job.entities_missing,
  heldBack: job.deletions_held_back,
  kept: job.entities_kept,
  skipped: job.entities_skipped,
  failed: job.entities_failed,
  encountered: job.encountered,
  leftOut: job.left_out,
  byType: job.by_type ?? noCounts,
  skippedBy: job.skipped_by_reason,
  secrets: job.secrets_found,
  secretExamples: job.secret_examples,
  chunks: job.chunks_written,
});

/**
 * Returns true when the configuration has changed since the last completed full sync started, or since the connection
 * was created when no full sync has completed.
 */
export async function wasReconfigured(db: Db, connection: SyncedConnection): Promise<boolean> {
  const last = await db
    .selectFrom('sync_jobs')
    .select('started_at')
    .where('connection_id', '=', connection.id)
    .where('full', '=', true)
    .where('status', '=', 'COMPLETED')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return connection.configured_at > (last?.started_at ?? connection.created_at);
}

export interface Completion {
  /** A full pull has this cursor, from which the next incremental pull goes on. */
  readonly cursor?: SourceCursor;
  /** This is the number of the list of group members. Null means that the pull read no members. */
  readonly membersList: number | null;
  /** This many deletions are held back. */
  readonly heldBack: number;
}

/**
 * Ends the job as COMPLETED, or as CANCELLED when it was asked to stop after its last commit. Throws Fenced when the
 * job has ended, another worker has its lease, or its connection is deleted.
 */
export async function complete(
  db: Kysely<Schema>,
  job: RunningJob & { readonly startedAt: number },
  { cursor, membersList, heldBack }: Completion,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // A deletion of the collection locks the collection before its connections, so this transaction must do the same.
    await firstSynced(tx, job.connectionId, null);
    const details = heldBack > 0 ? heldBackDetails(heldBack) : null;
    const done = { status: 'COMPLETED', error: null, details } as const;
    if (!(await end(tx, job, done))) {
      const stopped = { status: 'CANCELLED', error: null, details: null } as const;
      if (!(await end(tx, job, stopped))) throw new Fenced('the job is no longer ours');
      return;
    }
    if (membersList !== null) await switchTo(tx, job.connectionId, membersList);
    await countHeldBack(tx, job.id, heldBack);
    await accept(tx, job);
    if (cursor) {
      await writeCursor(tx, job.connectionId, cursor);
      await capConfiguredAt(tx, { ...job, configuredAt: cursor.configuredAt });
    }
    await firstSynced(tx, job.connectionId, Date.now());
  });
}

/**
 * Sets the time of the configuration to the start of the job when it is later, because the configuration must not look
 * newer than the full sync that used it (wasReconfigured). It is later when the configuration changed between two
 * attempts of the job, or when the clock was set back.
 */
async function capConfiguredAt(
  tx: Tx,
  job: { connectionId: string; configuredAt: number; startedAt: number },
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ configured_at: job.startedAt })
    .where('id', '=', job.connectionId)
    .where('configured_at', '=', job.configuredAt)
    .where('configured_at', '>', job.startedAt)
    .execute();
}

/** Sets the time of a collection's first completed sync, if it has none. With null, it only locks such a collection. */
const firstSynced = (tx: Tx, connectionId: string, at: number | null) =>
  tx
    .updateTable('collections')
    .set({ synced_at: at })
    .where('id', '=', (eb) =>
      eb.selectFrom('connections').select('collection_id').where('id', '=', connectionId),
    )
    .where('synced_at', 'is', null)
    .execute();

/**
 * Notes that the source has accepted the credentials, and as of when the records are now true: an attempt after the
 * first goes on with what the first one read, so the job began to read when its first attempt started. A push is true
 * as of its arrival. A job that only reprocessed did not ask the source.
 */
async function accept(tx: Tx, job: { id: string; connectionId: string }): Promise<void> {
  const { trigger, created_at, started_at } = await tx
    .selectFrom('sync_jobs')
    .select(['trigger', 'created_at', 'started_at'])
    .where('id', '=', job.id)
    .executeTakeFirstOrThrow();
  if (trigger === 'reprocess') return;
  await tx
    .updateTable('connections')
    .set({ refused_at: null, true_as_of: trigger === 'push' ? created_at : started_at })
    .where('id', '=', job.connectionId)
    .execute();
}

/** Notes that the source has refused the credentials, unless they were renewed after the job began. */
export async function refuse(tx: Tx, connectionId: string, startedAt: number): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ refused_at: Date.now() })
    .where('id', '=', connectionId)
    .where('authenticated_at', '<=', startedAt)
    .execute();
}
