/**
 * These are the HTTP routes of the doctor. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { DoctorRequest, MaintenanceRun, Report } from './schema.ts';
import type { Doctor } from './service.ts';

const Params = z.object({ readable_id: z.string() });
const tags = ['maintenance'];

export function doctorRoutes(app: App, doctor: Doctor): void {
  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/doctor',
    config: { role: 'admin', audit: null },
    schema: {
      operationId: 'checkCollection',
      summary: 'Check a collection, and repair it',
      description:
        'Compares records, chunks, words and vectors with each other, in the database and in the memory of the process that answers.',
      tags,
      params: Params,
      body: DoctorRequest,
      response: { 200: Report },
    },
    handler: (req) => doctor.doctor(req.ctx, req.params.readable_id, req.body),
  });

  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/reindex',
    config: { role: 'admin', audit: null },
    schema: {
      operationId: 'reindexCollection',
      summary: 'Make words and vectors again from the stored records',
      description: 'The run works in the background and does not ask the sources. Searches go on.',
      tags,
      params: Params,
      response: { 200: MaintenanceRun },
    },
    handler: (req) => doctor.reindex(req.ctx, req.params.readable_id),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id/maintenance',
    config: { role: 'admin' },
    schema: {
      operationId: 'listMaintenanceRuns',
      summary: 'List the maintenance runs of a collection, newest first',
      tags,
      params: Params,
      querystring: Page,
      response: { 200: z.array(MaintenanceRun) },
    },
    handler: async (req, reply) =>
      sendList(reply, await doctor.list(req.ctx, req.params.readable_id, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id/maintenance/:run_id',
    config: { role: 'admin' },
    schema: {
      operationId: 'getMaintenanceRun',
      summary: 'Get the progress of a maintenance run',
      tags,
      params: Params.extend({ run_id: z.string() }),
      response: { 200: MaintenanceRun },
    },
    handler: (req) => doctor.get(req.ctx, req.params.readable_id, req.params.run_id),
  });
}
