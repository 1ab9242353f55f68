/** What one may do with sync jobs: start them, look at them, cancel them. */
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Schema, SyncJobTable, Tx } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import { enqueue } from '../jobs/queue.ts';
import { instant } from '../util.ts';
import * as jobs from './job-store.ts';
import type { ConnectionRow } from './run-store.ts';
import type { JobFailure, SourceConnectionJob, SyncJob, SyncJobDetail } from './schema.ts';
import * as list from './list-store.ts';
import { toDetail, toJob, toSourceConnectionJob } from './view.ts';

export type Syncs = ReturnType<typeof createSyncs>;

export interface StartOptions {
  readonly trigger: SyncJobTable['trigger'];
  /** Ignores the cursor of a continuous connection. */
  readonly force?: boolean;
  readonly acceptDeletions?: boolean;
  readonly email: string | null;
}

export function createSyncs({ db, wake }: { db: Kysely<Schema>; wake: () => void }) {
  async function cancel(ctx: Ctx, job: jobs.JobRow | undefined, id: string): Promise<jobs.JobRow> {
    if (!job) throw notFound('job', id);
    const [changed] = await db
      .transaction()
      .execute((tx) => jobs.cancel(tx, { jobId: job.id }, ctx.account.email));
    const now = changed ?? (await list.find(db, ctx.organization.id, id));
    if (!now) throw notFound('job', id);
    if (!changed && now.status !== 'CANCELLING')
      throw conflict(`the job has already ended (${now.status}); there is nothing to cancel`);
    return now;
  }

  return {
    /** Puts a job into the connection's lane, in the caller's transaction. */
    async start(tx: Tx, connection: ConnectionRow, options: StartOptions): Promise<jobs.JobRow> {
      const incremental =
        options.trigger === 'push' ||
        (connection.continuous && connection.cursor !== null && !options.force);
      const current = await list.collectionConfig(tx, connection.collection_id);
      // A change of sync_config waits for the next full sync.
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
      });
      await enqueue(tx, 'sync.run', { jobId: job.id }, connection.id);
      return job;
    },

    /** Tells the worker that there is work; it would find it by itself a moment later. */
    wake,

    async list(
      ctx: Ctx,
      query: { skip: number; limit: number; statuses: readonly SyncJob['status'][] },
    ): Promise<{ total: number; jobs: SyncJob[] }> {
      const { total, rows } = await list.ofOrganization(db, ctx.organization.id, query);
      return { total, jobs: rows.map(toJob) };
    },

    async get(ctx: Ctx, id: string): Promise<SyncJobDetail> {
      const row = await list.find(db, ctx.organization.id, id);
      if (!row) throw notFound('job', id);
      return toDetail(row);
    },

    async cancel(ctx: Ctx, id: string): Promise<SyncJobDetail> {
      await cancel(ctx, await list.find(db, ctx.organization.id, id), id);
      return this.get(ctx, id);
    },

    /** Newest first. */
    async ofConnection(
      connectionId: string,
      limit: number,
    ): Promise<{ total: number; jobs: SourceConnectionJob[] }> {
      const { total, rows } = await list.ofConnection(db, connectionId, limit);
      return { total, jobs: rows.map(toSourceConnectionJob) };
    },

    async cancelOfConnection(ctx: Ctx, connectionId: string, id: string) {
      const job = await list.findOfConnection(db, connectionId, id);
      return toSourceConnectionJob(await cancel(ctx, job, id));
    },

    async failures(
      connectionId: string,
      id: string,
      page: { skip: number; limit: number },
    ): Promise<{ total: number; failures: JobFailure[] }> {
      const job = await list.findOfConnection(db, connectionId, id);
      if (!job) throw notFound('job', id);
      const rows = await list.failures(db, id, page);
      return {
        total: await list.countFailures(db, id),
        failures: rows.map(({ id: _, job_id, created_at, ...row }) => ({
          ...row,
          created_at: instant(created_at),
        })),
      };
    },

    async findOfConnection(connectionId: string, id: string): Promise<jobs.JobRow> {
      const job = await list.findOfConnection(db, connectionId, id);
      if (!job) throw notFound('job', id);
      return job;
    },
  };
}
