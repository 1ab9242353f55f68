/** This file makes the description of the API at /openapi.json from the same schemas that validate the requests. */
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { ErrorBody } from './errors.ts';
import { tidyComponents } from './openapi-components.ts';
import type { App } from './server.ts';

const DESCRIPTION = `Every route below /v1 is the same under /api/v1. Lists are JSON arrays with the
total in the header x-total-count. An admin key with all_organizations acts for another
organization of its account by the header X-Organization-ID. Every response carries x-request-id.
An unknown query parameter or body field below /v1 is a 422 whose message lists the known ones. A method that
a path does not have is a 405 with the header Allow.`;

/** The tags are in the order in which a new user needs them. */
const TAGS = [
  'collections',
  'source connections',
  'search',
  'sources',
  'auth providers',
  'sync jobs',
  'entities',
  'webhooks',
  'organizations',
  'API keys',
  'source rate limits',
  'health',
  'reference',
];

export function openapi(app: App): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Quarry', version: '1', description: DESCRIPTION },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
      tags: TAGS.map((name) => ({ name })),
    },
    transform: ({ route, schema, ...rest }) =>
      jsonSchemaTransform({ ...rest, route, schema: documented(schema, route.config) }),
    transformObject: (document) => tidyComponents(jsonSchemaTransformObject(document)),
  });

  void app.register((scope, _options, done) => {
    let text: string | undefined;
    scope.route({
      method: 'GET',
      url: '/openapi.json',
      config: { role: null },
      schema: { summary: 'The description of this API', tags: ['reference'] },
      handler: async (_req, reply) => {
        text ??= JSON.stringify(app.swagger());
        return reply.type('application/json; charset=utf-8').send(text);
      },
    });
    done();
  });
}

/** Adds to the schema of a route the form of its errors, and which keys may use it. */
const documented = (schema: FastifySchema, config: Partial<RouteAccess> = {}): FastifySchema => ({
  ...schema,
  response: {
    ...(schema.response as object | undefined),
    '4xx': ErrorBody.describe('The request cannot be answered.'),
    '5xx': ErrorBody.describe('The service cannot answer.'),
  },
  ...(config.role === null ? { security: [] } : { description: withAccess(schema, config) }),
});

type RouteAccess = Pick<FastifyContextConfig, 'role' | 'limitedKeys' | 'audit'>;

/** An admin key is never limited to collections, so routes for admins do not need the sentence on limited keys. */
const withAccess = (
  schema: FastifySchema,
  { role, limitedKeys, audit }: Partial<RouteAccess>,
): string =>
  [
    schema.description,
    audit && `The audit log records it as \`${audit}\`.`,
    role !== 'admin' && !limitedKeys && 'Refuses keys that are limited to collections.',
    `Needs the role \`${role}\`.`,
  ]
    .filter(Boolean)
    .join('\n\n');
