/** These are the HTTP routes with which an organization sees its sync jobs, and the stream that watches one job. */
import { z } from 'zod';
import { limitOf, Skip, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { JobEvent, StatusWord, SyncJob, SyncJobDetail } from './schema.ts';
import type { Syncs } from './service.ts';

const Params = z.object({ job_id: z.string() });
const tags = ['sync jobs'];

export function syncRoutes(app: App, syncs: Syncs): void {
  app.route({
    method: 'GET',
    url: '/v1/sync/jobs',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listSyncJobs',
      summary: 'List sync jobs, newest first',
      tags,
      querystring: z.object({
        skip: Skip,
        limit: limitOf(100),
        status: z
          .union([StatusWord, z.array(StatusWord)])
          .optional()
          .describe(
            'Status of the listed jobs. May be given several times, for jobs with any of these statuses.',
          ),
        collection: z
          .string()
          .optional()
          .describe('readable_id of a collection; only jobs of its connections are listed.'),
      }),
      response: { 200: z.array(SyncJob) },
    },
    handler: async (req, reply) => {
      const { skip, limit, status = [], collection } = req.query;
      const statuses = Array.isArray(status) ? status : [status];
      return sendList(reply, await syncs.list(req.ctx, { skip, limit, statuses, collection }));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/sync/jobs/:job_id',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getSyncJob',
      summary: 'Get a sync job',
      tags,
      params: Params,
      response: { 200: SyncJobDetail },
    },
    handler: (req) => syncs.get(req.ctx, req.params.job_id),
  });

  app.route({
    method: 'POST',
    url: '/v1/sync/jobs/:job_id/cancel',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      operationId: 'cancelSyncJob',
      summary: 'Cancel a sync job',
      tags,
      params: Params,
      response: { 200: SyncJobDetail },
    },
    handler: (req) => syncs.cancel(req.ctx, req.params.job_id),
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id/jobs/:job_id/stream',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'watchSourceConnectionJob',
      summary: 'Watch a job until it has ended',
      description:
        'The answer is a stream of Server-Sent Events, each a `data:` line with JSON: `progress` at once and after ' +
        'each change, and at the end `done`, or `error` when the stream cannot go on. A job that has ended gives ' +
        '`done` at once. Comment lines keep the connection alive.',
      tags: ['source connections'],
      params: z.object({ id: z.string(), job_id: z.string() }),
      response: {
        200: {
          description: 'Events; the field `type` says which event it is.',
          content: {
            'text/event-stream': { schema: JobEvent },
          },
        },
      },
    },
    handler: async (req, reply) => {
      const { id, job_id } = req.params;
      return reply.sendEvents(await syncs.watch(req.ctx, id, job_id));
    },
  });
}
