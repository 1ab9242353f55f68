/**
 * These are the HTTP routes of source connections. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { SourceConnectionJob } from '../syncs/schema.ts';
import { type PushLimits, pushRoute } from './push-route.ts';
import {
  EntityCountsOverTime,
  NewSourceConnection,
  SourceConnection,
  SourceConnectionPatch,
} from './schema.ts';
import type { Connections } from './service.ts';

const Params = z.object({ id: z.string() });
/** A name has at most 42 characters. */
const MOST_OF_SEARCH = 200;
const tags = ['source connections'];

export function connectionRoutes(app: App, connections: Connections, limits: PushLimits): void {
  app.route({
    method: 'POST',
    url: '/v1/source-connections',
    config: { role: 'member', audit: 'source_connection.created', limitedKeys: true },
    schema: {
      operationId: 'createSourceConnection',
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
      operationId: 'listSourceConnections',
      summary: 'List source connections, newest first',
      tags,
      querystring: Page.extend({
        collection: z.string().optional().describe('readable_id of a collection.'),
        search: z
          .string()
          .max(MOST_OF_SEARCH)
          .optional()
          .describe(
            'Words of which each is a part of the name, of the short name of the source or of the readable_id of the collection. Upper and lower case and accents do not matter. Names that begin with it come first.',
          ),
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
      operationId: 'getSourceConnection',
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
      operationId: 'updateSourceConnection',
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
      operationId: 'deleteSourceConnection',
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
      operationId: 'reinitiateOAuth',
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
      operationId: 'runSourceConnection',
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
      operationId: 'reprocessSourceConnection',
      summary: 'Transform stored records again',
      description:
        'The job transforms the stored records that have not passed the present transformers of the connection, or that failed in them. It does not ask the source. Each sync begins with this step, too.',
      tags,
      params: Params,
      response: { 200: SourceConnectionJob },
    },
    handler: (req) => connections.reprocess(req.ctx, req.params.id),
  });

  pushRoute(app, connections, limits);

  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/refresh_all',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      operationId: 'refreshCollection',
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
      operationId: 'getEntityCounts',
      summary: 'Count the entities of a source connection over time',
      tags,
      params: Params,
      response: { 200: EntityCountsOverTime },
    },
    handler: (req) => connections.entityCounts(req.ctx, req.params.id),
  });
}
