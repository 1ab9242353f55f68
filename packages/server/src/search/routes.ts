/** Serves the standard search over HTTP: shapes come in, one service call is made, a shape goes out. */
import { z } from 'zod';
import type { Collections } from '../collections/service.ts';
import { unavailable } from '../errors.ts';
import type { CallerSemaphore } from '../http/caller-semaphore.ts';
import { principalsOf } from '../http/principals.ts';
import type { App } from '../http/server.ts';
import { within } from '../util.ts';
import type { JudgeFilter } from './filter-cost.ts';
import { filterJsonSchema } from './filter-schema.ts';
import { SearchAnswer, SearchBody } from './schema.ts';
import type { Search } from './service.ts';

const tags = ['search'];

/** No search takes so long, except a search for a page deep in a long ranking. */
const DEADLINE_MS = 30_000;
const tooSlow = () =>
  unavailable(
    `the search took over ${DEADLINE_MS / 1000} s and was stopped: narrow it by a filter, or ask for a smaller offset`,
    1,
  );

export function searchRoutes(
  app: App,
  {
    collections,
    search,
    judgeFilter,
    inTurn,
  }: {
    collections: Collections;
    search: Search;
    judgeFilter: JudgeFilter;
    inTurn: CallerSemaphore;
  },
): void {
  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/search',
    config: { role: 'read', limitedKeys: true },
    schema: {
      summary: 'Search a collection',
      description:
        'The header x-search-degraded names the steps that a built-in method took because no model is ' +
        'configured for them or none has answered. An admin key or one with search_as may send X-Principals to search as a person.',
      tags,
      params: z.object({ readable_id: z.string() }),
      body: SearchBody,
      response: { 200: SearchAnswer },
    },
    handler: async (req, reply) => {
      const principals = principalsOf(req);
      const collection = await collections.resolve(req.ctx, req.params.readable_id);
      await judgeFilter(collection.id, req.body.filter);
      const request = {
        organizationId: req.ctx.organization.id,
        collection: { id: collection.id },
        principals,
        body: req.body,
      };
      const answer = await inTurn(req, () =>
        within({ ms: DEADLINE_MS, late: tooSlow, signal: req.ctx.signal }, (signal) =>
          search.search(request, signal),
        ),
      );
      const { degraded } = answer.metadata;
      if (degraded.length > 0) reply.header('x-search-degraded', degraded.join(', '));
      return answer;
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/internal/filter-schema',
    config: { role: 'read', limitedKeys: true },
    schema: {
      summary: 'Get the JSON Schema of the search filter',
      tags,
      response: { 200: z.record(z.string(), z.unknown()) },
    },
    handler: async () => filterJsonSchema,
  });
}
