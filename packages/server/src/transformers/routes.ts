/**
 * These are the HTTP routes of transformers. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { NewTransformer, Transformer, TransformerPatch } from './schema.ts';
import type { Transformers } from './service.ts';

const Params = z.object({ id: z.string() });
const tags = ['transformers'];

export function transformerRoutes(app: App, transformers: Transformers): void {
  app.route({
    method: 'GET',
    url: '/v1/transformers',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listTransformers',
      summary: 'List the transformers of the organization, newest first, after those of the system',
      tags,
      querystring: Page,
      response: { 200: z.array(Transformer) },
    },
    handler: async (req, reply) => sendList(reply, await transformers.list(req.ctx, req.query)),
  });

  app.route({
    method: 'POST',
    url: '/v1/transformers',
    config: { role: 'member', audit: 'transformer.created' },
    schema: {
      operationId: 'createTransformer',
      summary: 'Create a transformer',
      description:
        'The module is loaded once, in a limited process, to check that it has the function.',
      tags,
      body: NewTransformer,
      response: { 201: Transformer },
    },
    handler: async (req, reply) => {
      reply.status(201);
      return transformers.create(req.ctx, req.body);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/transformers/:id',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getTransformer',
      summary: 'Get a transformer',
      tags,
      params: Params,
      response: { 200: Transformer },
    },
    handler: (req) => transformers.get(req.ctx, req.params.id),
  });

  app.route({
    method: 'PUT',
    url: '/v1/transformers/:id',
    config: { role: 'member', audit: 'transformer.updated' },
    schema: {
      operationId: 'updateTransformer',
      summary: 'Change a transformer',
      description:
        'Connections that use it transform their stored records again at their next sync, unless only name or description change. Answers 409 while connections have configurations that do not fit the new `config_schema`.',
      tags,
      params: Params,
      body: TransformerPatch,
      response: { 200: Transformer },
    },
    handler: (req) => transformers.update(req.ctx, req.params.id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/transformers/:id',
    config: { role: 'member', audit: 'transformer.deleted' },
    schema: {
      operationId: 'deleteTransformer',
      summary: 'Delete a transformer',
      description: 'Answers 409 while a source connection uses it.',
      tags,
      params: Params,
      response: { 200: Transformer },
    },
    handler: (req) => transformers.remove(req.ctx, req.params.id),
  });
}
