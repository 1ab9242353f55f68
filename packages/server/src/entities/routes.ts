/**
 * These are the HTTP routes of entity records. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { EntityAccess, EntityRecord } from './schema.ts';
import type { Entities } from './service.ts';

const tags = ['entities'];

export function entityRoutes(app: App, entities: Entities): void {
  app.route({
    method: 'GET',
    url: '/v1/entities',
    config: { role: 'read', limitedKeys: true, ungated: true },
    schema: {
      operationId: 'listEntities',
      summary: 'List entity records',
      description:
        'The records have only metadata. Searches and the routes below `/contents` return the content.',
      tags,
      querystring: Page.extend({
        source_connection_id: z.uuid().optional(),
        collection_readable_id: z.string().optional(),
      }),
      response: { 200: z.array(EntityRecord) },
    },
    handler: async (req, reply) => sendList(reply, await entities.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/entities/:entity_id',
    config: { role: 'read', limitedKeys: true, ungated: true },
    schema: {
      operationId: 'getEntity',
      summary: 'Get an entity record',
      tags,
      params: z.object({ entity_id: z.string().describe('The UUID of the record.') }),
      response: { 200: EntityRecord },
    },
    handler: (req) => entities.get(req.ctx, req.params.entity_id),
  });

  app.route({
    method: 'GET',
    url: '/v1/entities/:entity_id/access',
    config: { role: 'admin' },
    schema: {
      operationId: 'getEntityAccess',
      summary: 'Say who may see an entity, and whether a person or group may',
      description:
        'With `principal`, the answer says whether this person or group may see the record, and through which groups. It is decided as in a search with X-Principals: groups within groups count.',
      tags,
      params: z.object({ entity_id: z.string().describe('The UUID of the record.') }),
      querystring: z.object({
        principal: z
          .string()
          .max(1000)
          .regex(/^(user|group):\S/, 'use user:<e-mail> or group:<name>')
          .optional()
          .describe('A person `user:<e-mail>`, or a group `group:<name>`.'),
      }),
      response: { 200: EntityAccess },
    },
    handler: (req) => entities.access(req.ctx, req.params.entity_id, req.query.principal),
  });
}
