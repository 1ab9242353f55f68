/** This file implements what a caller may do with the jobs of a source connection that the caller may see. */
import type { Ctx } from '../context.ts';
import { conflict } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { Source } from '../sources/define.ts';
import type { JobFailure, JobSkipped, SourceConnectionJob } from '../syncs/schema.ts';
import type { Syncs } from '../syncs/service.ts';
import type { JobStarter } from './start.ts';
import type { ConnectionRow } from './store.ts';

export interface JobOfConnection {
  /** This is the id of the connection. */
  readonly id: string;
  readonly jobId: string;
}

export interface JobDeps {
  readonly syncs: Syncs;
  readonly jobStarter: JobStarter;
  /** Returns the connection. Throws notFound when the caller may not see it. */
  readonly rowOf: (ctx: Ctx, id: string) => Promise<ConnectionRow>;
  readonly installed: (shortName: string) => Source;
}

export const createConnectionJobs = ({ syncs, jobStarter, rowOf, installed }: JobDeps) => ({
  async jobs(ctx: Ctx, id: string, page: Page): Promise<Listed<SourceConnectionJob>> {
    return syncs.ofConnection((await rowOf(ctx, id)).id, page);
  },

  async cancelJob(ctx: Ctx, id: string, jobId: string): Promise<SourceConnectionJob> {
    return syncs.cancelOfConnection(ctx, (await rowOf(ctx, id)).id, jobId);
  },

  async failures(
    ctx: Ctx,
    { id, jobId }: JobOfConnection,
    page: Page,
  ): Promise<Listed<JobFailure>> {
    return syncs.failures((await rowOf(ctx, id)).id, jobId, page);
  },

  async skipped(ctx: Ctx, { id, jobId }: JobOfConnection, page: Page): Promise<Listed<JobSkipped>> {
    return syncs.skipped((await rowOf(ctx, id)).id, jobId, page);
  },

  /**
   * Starts a full sync that may delete the entities whose deletion the job held back. An entity stays when the source
   * lists its record again.
   */
  async confirmDeletions(ctx: Ctx, id: string, jobId: string): Promise<SourceConnectionJob> {
    const row = await rowOf(ctx, id);
    const job = await syncs.jobOfConnection(id, jobId);
    if (job.error_details?.code !== 'deletions_need_confirmation')
      throw conflict('this job holds no deletions back');
    // Only full syncs find deletions. After a newer full sync, the number that the user confirms would be out of date.
    if ((await syncs.newestFull(id)) !== jobId)
      throw conflict(
        'a newer full sync of this connection has run: look at the result of that job',
      );
    return jobStarter.pull(row, installed(row.short_name), {
      trigger: 'confirmation',
      force: true,
      acceptDeletions: true,
      email: ctx.account.email,
    });
  },
});
