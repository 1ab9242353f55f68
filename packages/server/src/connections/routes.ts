/**
 * These are the HTTP routes of source connections. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { HeldBackDeletion, JobFailure, JobSkipped, SourceConnectionJob } from '../syncs/schema.ts';
import { pushRoute } from './push-route.ts';
import {
  EntityCountsOverTime,
  NewSourceConnection,
  SourceConnection,
  SourceConnectionPatch,
} from './schema.ts';
import type { Connections } from './service.ts';

const Params = z.object({ id: z.string() });
const JobParams = z.object({ id: z.string(), job_id: z.string() });
const tags = ['source connections'];

export function connectionRoutes(app: App, connections: Connections): void {
  app.route({
    method: 'POST',
    url: '/v1/source-connections',
    config: { role: 'member', audit: 'source_connection.created', limitedKeys: true },
    schema: {
      summary: 'Connect a source to a collection',
      description:
        'The source checks the settings and credentials before anything is saved. With `oauth_browser` the connection waits in PENDING_AUTH until a person has opened `auth.auth_url` and signed in.',
      tags,
      body: NewSourceConnection,
      response: { 200: SourceConnection },
    },
    handler: (req) => connections.create(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections',
    config: { role: 'read', limitedKeys: true },
    schema: {
      summary: 'List source connections',
      tags,
      querystring: Page.extend({
        collection: z.string().optional().describe('readable_id of a collection.'),
      }),
      response: { 200: z.array(SourceConnection) },
    },
    handler: async (req, reply) => sendList(reply, await connections.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id',
    config: { role: 'read', limitedKeys: true },
    schema: {
      summary: 'Get a source connection',
      tags,
      params: Params,
      response: { 200: SourceConnection },
    },
    handler: (req) => connections.get(req.ctx, req.params.id),
  });

  app.route({
    method: 'PATCH',
    url: '/v1/source-connections/:id',
    config: { role: 'member', audit: 'source_connection.updated', limitedKeys: true },
    schema: {
      summary: 'Change a source connection',
      tags,
      params: Params,
      body: SourceConnectionPatch,
      response: { 200: SourceConnection },
    },
    handler: (req) => connections.update(req.ctx, req.params.id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/source-connections/:id',
    config: { role: 'member', audit: 'source_connection.deleted', limitedKeys: true },
    schema: {
      summary: 'Delete a source connection with all its data',
      tags,
      params: Params,
      response: { 200: SourceConnection },
    },
    handler: (req) => connections.remove(req.ctx, req.params.id),
  });

  app.route({
    method: 'POST',
    url: '/v1/source-connections/:id/reinitiate-oauth',
    config: { role: 'member', audit: 'source_connection.sign_in_renewed', limitedKeys: true },
    schema: {
      summary: 'Make a new link with which a person signs in',
      description:
        'The link is `auth.auth_url` of the answer. An earlier link stops working. Signing in with a different account than before is refused.',
      tags,
      params: Params,
      response: { 200: SourceConnection },
    },
    handler: (req) => connections.reinitiateOAuth(req.ctx, req.params.id),
  });

  app.route({
    method: 'POST',
    url: '/v1/source-connections/:id/run',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      summary: 'Start a sync',
      tags,
      params: Params,
      querystring: z.object({
        force_full_sync: z
          .enum(['true', 'false'])
          .default('false')
          .describe('If true, the sync ignores the cursor and lists everything.'),
      }),
      response: { 200: SourceConnectionJob },
    },
    handler: (req) => connections.run(req.ctx, req.params.id, req.query.force_full_sync === 'true'),
  });

  app.route({
    method: 'POST',
    url: '/v1/source-connections/:id/reprocess',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      summary: 'Transform stored records again',
      description:
        'The job transforms the stored records that have not passed the present transformers of the connection, or that failed in them. It does not ask the source. Each sync begins with this step, too.',
      tags,
      params: Params,
      response: { 200: SourceConnectionJob },
    },
    handler: (req) => connections.reprocess(req.ctx, req.params.id),
  });

  pushRoute(app, connections);

  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/refresh_all',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      summary: 'Start a sync of every connection that can run now',
      tags: ['collections'],
      params: z.object({ readable_id: z.string() }),
      response: { 200: z.array(SourceConnectionJob) },
    },
    handler: (req) => connections.refreshAll(req.ctx, req.params.readable_id),
  });

  jobRoutes(app, connections);
}

function jobRoutes(app: App, connections: Connections): void {
  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id/entity-counts',
    config: { role: 'read', limitedKeys: true },
    schema: {
      summary: 'Count the entities of a source connection over time',
      tags,
      params: Params,
      response: { 200: EntityCountsOverTime },
    },
    handler: (req) => connections.entityCounts(req.ctx, req.params.id),
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id/jobs',
    config: { role: 'read', limitedKeys: true },
    schema: {
      summary: 'List the jobs of a source connection, newest first',
      tags,
      params: Params,
      querystring: Page,
      response: { 200: z.array(SourceConnectionJob) },
    },
    handler: async (req, reply) =>
      sendList(reply, await connections.jobs(req.ctx, req.params.id, req.query)),
  });

  app.route({
    method: 'POST',
    url: '/v1/source-connections/:id/jobs/:job_id/cancel',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      summary: 'Cancel a job',
      tags,
      params: JobParams,
      response: { 200: SourceConnectionJob },
    },
    handler: (req) => connections.cancelJob(req.ctx, req.params.id, req.params.job_id),
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id/jobs/:job_id/failures',
    config: { role: 'read', limitedKeys: true, ungated: true },
    schema: {
      summary: 'List the records that failed in a job',
      description:
        'Each job keeps the first 1,000 of them. There were more when `entities_failed` of the job is greater than `x-total-count`.',
      tags,
      params: JobParams,
      querystring: Page,
      response: { 200: z.array(JobFailure) },
    },
    handler: async (req, reply) => {
      const { id: connectionId, job_id: jobId } = req.params;
      return sendList(
        reply,
        await connections.failures(req.ctx, { connectionId, jobId }, req.query),
      );
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id/jobs/:job_id/skipped',
    config: { role: 'read', limitedKeys: true, ungated: true },
    schema: {
      summary: 'List the records that a job left out on purpose, with the reasons',
      description:
        'Each job keeps the first 1,000 of them. There were more when `entities_skipped` of the job is greater than `x-total-count`. `skipped_by_reason` of the job counts all of them.',
      tags,
      params: JobParams,
      querystring: Page,
      response: { 200: z.array(JobSkipped) },
    },
    handler: async (req, reply) => {
      const { id: connectionId, job_id: jobId } = req.params;
      return sendList(
        reply,
        await connections.skipped(req.ctx, { connectionId, jobId }, req.query),
      );
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/source-connections/:id/jobs/:job_id/held-back',
    config: { role: 'read', limitedKeys: true, ungated: true },
    schema: {
      summary: 'List the records whose deletion a job holds back',
      description:
        'The list has the records that still wait: one that was deleted since, or that a later sync has seen, is left out. Each job keeps the first 1,000 of them; `deletions_held_back` of the job counts all. `confirm-deletions` deletes them, unless the source lists them again.',
      tags,
      params: JobParams,
      querystring: Page,
      response: { 200: z.array(HeldBackDeletion) },
    },
    handler: async (req, reply) => {
      const { id: connectionId, job_id: jobId } = req.params;
      return sendList(
        reply,
        await connections.heldBack(req.ctx, { connectionId, jobId }, req.query),
      );
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/source-connections/:id/jobs/:job_id/confirm-deletions',
    config: { role: 'member', audit: 'sync_job.deletions_confirmed', limitedKeys: true },
    schema: {
      summary: 'Confirm the deletions that a job held back, and start a full sync',
      tags,
      params: JobParams,
      response: { 200: SourceConnectionJob },
    },
    handler: (req) => connections.confirmDeletions(req.ctx, req.params.id, req.params.job_id),
  });
}
