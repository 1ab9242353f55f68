/** These are the HTTP routes of auth providers. */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { AuthProvider, AuthProviderChange, NewAuthProvider } from './schema.ts';
import type { AuthProviders } from './service.ts';

const Params = z.object({ readable_id: z.string() });
const tags = ['auth providers'];

export function authProviderRoutes(app: App, providers: AuthProviders): void {
  app.route({
    method: 'POST',
    url: '/v1/auth-providers',
    config: { role: 'admin', audit: 'auth_provider.created' },
    schema: {
      operationId: 'createAuthProvider',
      summary: 'Add an auth provider',
      description:
        'An auth provider keeps the credentials of connections: the sign-in service of an application (`custom`), Nango, Composio or Pipedream. It is asked whether it accepts the credentials before anything is saved.',
      tags,
      body: NewAuthProvider,
      response: { 200: AuthProvider },
    },
    handler: (req) => providers.create(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/auth-providers',
    config: { role: 'admin' },
    schema: {
      operationId: 'listAuthProviders',
      summary: 'List auth providers',
      tags,
      querystring: Page,
      response: { 200: z.array(AuthProvider) },
    },
    handler: async (req, reply) => sendList(reply, await providers.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/auth-providers/:readable_id',
    config: { role: 'admin' },
    schema: {
      operationId: 'getAuthProvider',
      summary: 'Get an auth provider',
      tags,
      params: Params,
      response: { 200: AuthProvider },
    },
    handler: (req) => providers.get(req.ctx, req.params.readable_id),
  });

  app.route({
    method: 'PUT',
    url: '/v1/auth-providers/:readable_id',
    config: { role: 'admin', audit: 'auth_provider.updated' },
    schema: {
      operationId: 'updateAuthProvider',
      summary: 'Change an auth provider',
      description:
        'Fields that are left out keep their value. With new credentials, the connections of the provider ask it again.',
      tags,
      params: Params,
      body: AuthProviderChange,
      response: { 200: AuthProvider },
    },
    handler: (req) => providers.change(req.ctx, req.params.readable_id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/auth-providers/:readable_id',
    config: { role: 'admin', audit: 'auth_provider.deleted' },
    schema: {
      operationId: 'deleteAuthProvider',
      summary: 'Delete an auth provider',
      description: 'Answers 409 while a connection gets its credentials from the provider.',
      tags,
      params: Params,
      response: { 200: AuthProvider },
    },
    handler: (req) => providers.remove(req.ctx, req.params.readable_id),
  });
}
