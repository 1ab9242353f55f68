/**
 * These are the HTTP routes of the source catalog and its entity definitions. The descriptions are made once, when
 * they are first asked for, so that no start waits for them.
 */
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { onFirstUse } from '../util.ts';
import type { Source } from './define.ts';
import { definitionsOf } from './definitions.ts';
import { describeSource } from './describe.ts';
import { EntityDefinition, SourceType } from './schema.ts';

/** `redirectUri` returns the address to which providers send browsers back. It is known once the service listens. */
export function sourceRoutes(
  app: App,
  sources: ReadonlyMap<string, Source>,
  redirectUri: () => string,
): void {
  const types = onFirstUse(() => [...sources.values()].map(describeSource));
  const definitions = onFirstUse(() => [...sources.values()].flatMap(definitionsOf));

  const shown = (type: ReturnType<typeof types>[number]): SourceType => ({
    ...type,
    redirect_uri: type.oauth_scopes && redirectUri(),
  });

  app.route({
    method: 'GET',
    url: '/v1/sources',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listSources',
      summary: 'List the sources that can be connected',
      tags: ['sources'],
      querystring: Page,
      response: { 200: z.array(SourceType) },
    },
    handler: (req, reply) => sendList(reply, pageOf(types().map(shown), req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/sources/:short_name',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getSource',
      summary: 'Get a source',
      tags: ['sources'],
      params: z.object({ short_name: z.string() }),
      response: { 200: SourceType },
    },
    handler: ({ params }) => {
      const found = types().find((type) => type.short_name === params.short_name);
      if (!found) throw notFound('source', params.short_name);
      return shown(found);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/entity-definitions',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listEntityDefinitions',
      summary: 'List the kinds of entities that sources yield',
      tags: ['entities'],
      querystring: Page,
      response: { 200: z.array(EntityDefinition) },
    },
    handler: (req, reply) => sendList(reply, pageOf(definitions(), req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/entity-definitions/:id',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getEntityDefinition',
      summary: 'Get an entity definition',
      tags: ['entities'],
      params: z.object({ id: z.string() }),
      response: { 200: EntityDefinition },
    },
    handler: ({ params }) => {
      const found = definitions().find(({ id }) => id === params.id);
      if (!found) throw notFound('entity definition', params.id);
      return found;
    },
  });
}

const pageOf = <Row>(rows: readonly Row[], { skip, limit }: Page) => ({
  total: rows.length,
  rows: rows.slice(skip, skip + limit),
});
