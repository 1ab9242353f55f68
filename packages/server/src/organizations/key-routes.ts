/** These are the HTTP routes of API keys. The schemas check requests and answers, and the handlers call the service. */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { ApiKey, ApiKeyWithValue, NewApiKey } from './key-schema.ts';
import type { ApiKeys } from './key-service.ts';

const Params = z.object({ id: z.string() });
const tags = ['API keys'];

export function apiKeyRoutes(app: App, keys: ApiKeys): void {
  app.route({
    method: 'POST',
    url: '/v1/api-keys',
    config: { role: 'admin', audit: 'api_key.created' },
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: 'Only this answer shows the key itself.',
      tags,
      body: NewApiKey,
      response: { 200: ApiKeyWithValue },
    },
    handler: (req) => keys.create(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/api-keys',
    config: { role: 'admin' },
    schema: {
      operationId: 'listApiKeys',
      summary: 'List the API keys of the organization, newest first',
      tags,
      querystring: Page,
      response: { 200: z.array(ApiKey) },
    },
    handler: async (req, reply) => sendList(reply, await keys.list(req.ctx, req.query)),
  });

  app.route({
    method: 'POST',
    url: '/v1/api-keys/:id/rotate',
    config: { role: 'admin', audit: 'api_key.rotated' },
    schema: {
      operationId: 'rotateApiKey',
      summary: 'Give an API key a new value',
      description:
        'The old value stops working at once. The key then belongs to the account that has rotated it.',
      tags,
      params: Params,
      response: { 200: ApiKeyWithValue },
    },
    handler: (req) => keys.rotate(req.ctx, req.params.id),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/api-keys/:id',
    config: { role: 'admin', audit: 'api_key.deleted' },
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description:
        "Answers 409 when no other key can administer the organization, or another organization of the key's account.",
      tags,
      params: Params,
      response: { 200: ApiKey },
    },
    handler: (req) => keys.remove(req.ctx, req.params.id),
  });
}
