/** These are the HTTP routes of the jobs of a source connection, and of what they have counted and left out. */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { HeldBackDeletion, JobFailure, JobSkipped, SourceConnectionJob } from '../syncs/schema.ts';
import { EntityCountsOverTime } from './schema.ts';
import type { Connections } from './service.ts';

const Params = z.object({ id: z.string() });
const JobParams = z.object({ id: z.string(), job_id: z.string() });
const tags = ['source connections'];

export function connectionJobRoutes(app: App, connections: Connections): void {
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
