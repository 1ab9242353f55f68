/** This file makes the description of the API at /openapi.json from the same schemas that validate the requests. */
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ErrorBody } from './errors.ts';
import { tidyComponents } from './openapi-components.ts';
import { completeOperations, FORM, HEADERS } from './openapi-operations.ts';
import type { App } from './server.ts';

const DESCRIPTION = `Every route below /v1 is the same under /api/v1. Lists are JSON arrays with the
total in the header X-Total-Count. Every response carries X-Request-ID.
An unknown query parameter or body field below /v1 is a 422 whose message lists the known ones. A method that
a path does not have is a 405 with the header Allow.`;

/** The tags are in the order in which a new user needs them. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['collections', 'A collection is a set of records that is searched as one.'],
  ['source connections', 'A connection fills a collection from a source, by syncs or by pushes.'],
  ['search', 'Searches find passages of the records of a collection, and may answer a question.'],
  ['sources', 'The apps, databases and folders that can be connected, with their settings.'],
  ['auth providers', 'Services that keep the credentials of connections.'],
  ['sync jobs', 'A job is one run of a sync.'],
  ['entities', 'An entity is a record as Quarry stores it.'],
  ['contents', 'The records of a collection, without a search: lists, a tree, texts and lines.'],
  ['transformers', 'Functions that change records before they can be found.'],
  ['webhooks', 'Subscriptions send signed messages about events to endpoints.'],
  ['organizations', 'An organization owns everything else, and sees nothing of the others.'],
  ['members', 'The people of an organization, and those whom it has invited.'],
  ['API keys', 'Programs authenticate by keys, which may be limited.'],
  ['sign-in', 'People sign in with a browser, which gets the cookie of a session.'],
  ['audit log', 'The administrative acts of an organization.'],
  ['source rate limits', 'Limits of an organization on the requests to its sources.'],
  ['maintenance', 'The state of the service, and checks and repairs of collections.'],
  ['tool server', 'The tools for AI assistants, by the Model Context Protocol.'],
  ['health', 'Whether the process runs, and whether it can serve.'],
  ['reference', 'This document.'],
];

export function openapi(app: App): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Quarry',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
    },
    transform: ({ route, schema, ...rest }) =>
      jsonSchemaTransform({ ...rest, route, schema: documented(schema, route.config) }),
    transformObject: (document) =>
      completeOperations(tidyComponents(jsonSchemaTransformObject(document))),
  });

  void app.register((scope, _options, done) => {
    let text: string | undefined;
    scope.route({
      method: 'GET',
      url: '/openapi.json',
      config: { role: null },
      schema: {
        operationId: 'getOpenApiDocument',
        summary: 'The description of this API',
        tags: ['reference'],
        response: { 200: Document },
      },
      handler: async (_req, reply) => {
        text ??= JSON.stringify(app.swagger());
        return reply.type('application/json; charset=utf-8').send(text);
      },
    });
    done();
  });
}

const Document = z
  .record(z.string(), z.unknown())
  .describe('The document, as JSON.')
  .meta({ examples: [{ openapi: '3.1.1', info: { title: 'Quarry', version: '1' } }] });

/** Adds to the schema of a route the form of its errors, its headers, and which keys may use it. */
const documented = (schema: FastifySchema, config: Partial<RouteAccess> = {}): FastifySchema => ({
  ...schema,
  response: {
    ...(schema.response as object | undefined),
    '4xx': ErrorBody.describe('The request cannot be answered.'),
    '5xx': ErrorBody.describe('The service cannot answer.'),
  },
  ...headersOf(config),
  ...(config.form && { [FORM]: config.form }),
  ...(config.role === null ? { security: [] } : { description: withAccess(schema, config) }),
});

const headersOf = ({ role, headers = [] }: Partial<RouteAccess>) => ({
  [HEADERS]: ['X-Request-ID', ...(role === null ? [] : ['X-Organization-ID']), ...headers],
});

type RouteAccess = Pick<
  FastifyContextConfig,
  'role' | 'limitedKeys' | 'audit' | 'headers' | 'form'
>;

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
