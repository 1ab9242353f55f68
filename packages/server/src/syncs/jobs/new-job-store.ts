/** Makes jobs. The transaction has locked their living connections, and writes the events of the jobs, too. */
import { sql } from 'kysely';
import { together } from '../../db/pipelined.ts';
import type { SyncConfig, SyncJobTable, Tx } from '../../db/schema.ts';
import type { Cause } from '../../telemetry/trace.ts';
import { must, newIdAfter } from '../../util.ts';
import { emitEventsOf } from './event-store.ts';
import type { JobRow } from './job-store.ts';
import { newestIds } from './newest-store.ts';
import { noCounts } from './tally.ts';

export interface NewJob {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly syncId: string;
  readonly trigger: SyncJobTable['trigger'];
  readonly full: boolean;
  readonly acceptDeletions: boolean;
  readonly syncConfig: SyncConfig | null;
  readonly email: string | null;
  readonly cause?: Cause | undefined;
}

export const insertJob = async (tx: Tx, job: NewJob): Promise<JobRow> =>
  must((await insertJobs(tx, [job]))[0]);

/**
 * Returns the jobs in the order of the list, in which they have also been made. The newest job of a connection is the one
 * with the greatest id, whatever the clocks said: the caller has locked the connections.
 */
export async function insertJobs(tx: Tx, jobs: readonly NewJob[]): Promise<JobRow[]> {
  const now = Date.now();
  const newest = await newestOf(tx, new Set(jobs.map(({ connectionId }) => connectionId)));
  const nextId = (connectionId: string): string => {
    const id = newIdAfter(newest.get(connectionId) ?? '');
    newest.set(connectionId, id);
    return id;
  };
  const values = jobs.map((job) => ({
    id: nextId(job.connectionId),
    organization_id: job.organizationId,
    connection_id: job.connectionId,
    sync_id: job.syncId,
    status: 'PENDING' as const,
    trigger: job.trigger,
    full: job.full,
    accept_deletions: job.acceptDeletions,
    attempt: 0,
    generation: 0,
    entities_inserted: 0,
    entities_updated: 0,
    entities_deleted: 0,
    entities_kept: 0,
    entities_skipped: 0,
    entities_failed: 0,
    encountered: '{}',
    left_out: '{}',
    by_type: JSON.stringify(noCounts),
    chunks_written: 0,
    bytes_fetched: 0,
    requests: 0,
    sync_config: job.syncConfig && JSON.stringify(job.syncConfig),
    created_at: now,
    modified_at: now,
    created_by_email: job.email,
    modified_by_email: job.email,
  }));
  const rows = await tx.insertInto('sync_jobs').values(values).returningAll().execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const inserted = values.map(({ id }) => must(byId.get(id)));
  const made = inserted.map((job, i) => ({ job, cause: jobs[i]?.cause }));
  await together([countRuns(tx, jobs), emitEventsOf(tx, made)]);
  return inserted;
}

/** Maps the connections to the ids of their newest jobs. */
async function newestOf(tx: Tx, connectionIds: ReadonlySet<string>): Promise<Map<string, string>> {
  const rows = await newestIds(tx, [...connectionIds])
    .select('connections.id as connectionId')
    .execute();
  return new Map(rows.map(({ connectionId, id }) => [connectionId, id ?? '']));
}

async function countRuns(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  const runs = Map.groupBy(jobs, ({ connectionId }) => connectionId);
  const cases = [...runs].map(([id, { length }]) => sql`when ${id} then ${sql.lit(length)}`);
  await tx
    .updateTable('connections')
    .set({ total_runs: sql`total_runs + case id ${sql.join(cases, sql` `)} end` })
    .where('id', 'in', [...runs.keys()])
    .execute();
}
