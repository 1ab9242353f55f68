/** This file implements what a caller may do with the jobs of a source connection that the caller may see. */
import type { Ctx } from '../context.ts';
import { conflict } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { Source } from '../sources/define.ts';
import type {
  HeldBackDeletion,
  JobFailure,
  JobSkipped,
  SourceConnectionJob,
} from '../syncs/schema.ts';
import type { Syncs } from '../syncs/service.ts';
import type { EntityCountsOverTime } from './schema.ts';
import type { JobStarter } from './start.ts';
import type { ConnectionRow } from './store.ts';

export interface JobOfConnection {
  readonly connectionId: string;
  readonly jobId: string;
}

export interface JobDeps {
  readonly syncs: Syncs;
  readonly jobStarter: JobStarter;
  /** Throws notFound when the caller may not see the connection. */
  readonly visibleRow: (ctx: Ctx, id: string) => Promise<ConnectionRow>;
  /** Throws a 409 when the operator has switched the source off. */
  readonly sourceOf: (row: ConnectionRow) => Source;
}

export const createJobActions = ({ syncs, jobStarter, visibleRow, sourceOf }: JobDeps) => ({
  async jobs(ctx: Ctx, id: string, page: Page): Promise<Listed<SourceConnectionJob>> {
    return syncs.ofConnection(ctx, (await visibleRow(ctx, id)).id, page);
  },

  async entityCounts(ctx: Ctx, id: string): Promise<EntityCountsOverTime> {
    return { points: await syncs.countsOverTime((await visibleRow(ctx, id)).id) };
  },

  async cancelJob(ctx: Ctx, id: string, jobId: string): Promise<SourceConnectionJob> {
    return syncs.cancelOfConnection(ctx, (await visibleRow(ctx, id)).id, jobId);
  },

  /** Resolves with the job when it has ended. Rejects when the signal aborts, which does not end the job. */
  async ended(
    ctx: Ctx,
    { connectionId, jobId }: JobOfConnection,
    signal: AbortSignal,
  ): Promise<SourceConnectionJob> {
    return syncs.ended((await visibleRow(ctx, connectionId)).id, jobId, signal);
  },

  async failures(
    ctx: Ctx,
    { connectionId, jobId }: JobOfConnection,
    page: Page,
  ): Promise<Listed<JobFailure>> {
    return syncs.failures((await visibleRow(ctx, connectionId)).id, jobId, page);
  },

  async skipped(
    ctx: Ctx,
    { connectionId, jobId }: JobOfConnection,
    page: Page,
  ): Promise<Listed<JobSkipped>> {
    return syncs.skipped((await visibleRow(ctx, connectionId)).id, jobId, page);
  },

  async heldBack(
    ctx: Ctx,
    { connectionId, jobId }: JobOfConnection,
    page: Page,
  ): Promise<Listed<HeldBackDeletion>> {
    return syncs.heldBack((await visibleRow(ctx, connectionId)).id, jobId, page);
  },

  /**
   * Starts a full sync that holds no deletions back. It deletes what it does not find; an entity whose deletion the
   * earlier job held back stays when the source lists its record again.
   */
  async confirmDeletions(ctx: Ctx, id: string, jobId: string): Promise<SourceConnectionJob> {
    const row = await visibleRow(ctx, id);
    const job = await syncs.jobOfConnection(id, jobId);
    if (job.error_details?.code !== 'deletions_need_confirmation')
      throw conflict('this job holds no deletions back');
    // After a newer full sync, the number of held-back deletions in this job's message is out of date.
    const newestFull = await syncs.newestFull(id);
    if (newestFull !== undefined && newestFull > jobId)
      throw conflict(
        'a newer full sync of this connection has started: look at the result of that job',
      );
    const source = sourceOf(row);
    return jobStarter.pull(
      ctx,
      { row, source },
      {
        trigger: 'confirmation',
        force: true,
        acceptDeletions: true,
        email: ctx.account.email,
      },
    );
  },
});
