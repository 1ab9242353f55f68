/** This is the HTTP route of the audit log. */
import { z } from 'zod';
import { sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { AuditEvent, AuditQuery } from './schema.ts';
import type { AuditLog } from './service.ts';

export function auditRoutes(app: App, log: AuditLog): void {
  app.route({
    method: 'GET',
    url: '/v1/audit-events',
    config: { role: 'admin' },
    schema: {
      operationId: 'listAuditEvents',
      summary: 'List the administrative acts of the organization, newest first',
      description: 'Acts are kept for 365 days.',
      tags: ['audit log'],
      querystring: AuditQuery,
      response: { 200: z.array(AuditEvent) },
    },
    handler: async (req, reply) => sendList(reply, await log.list(req.ctx, req.query)),
  });
}
