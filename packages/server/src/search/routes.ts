/** Serves the standard search over HTTP. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collections } from '../collections/service.ts';
import { causeOf } from '../context.ts';
import { type AppError, unavailable } from '../errors.ts';
import { callerOf } from '../http/caller.ts';
import type { FairQueue } from '../http/fair-queue.ts';
import { principalsOf } from '../http/principals.ts';
import type { App } from '../http/server.ts';
import type { UsageCounter } from '../usage/counter.ts';
import { must } from '../util.ts';
import type { CheckFilterCost } from './filter-cost.ts';
import { filterJsonSchema } from './filter-schema.ts';
import {
  MAX_COLLECTIONS,
  SearchAllAnswer,
  SearchAllBody,
  SearchAnswer,
  SearchBody,
} from './schema.ts';
import type { Search, SearchRequest } from './service.ts';

const tags = ['search'];

const seconds = (ms: number) => Math.round(ms / 1000);

/** Only a search for a page deep in a long ranking, or one that had to wait, is stopped at the deadline. */
export const SEARCH_DEADLINE_MS = 30_000;
function tooSlow(waitedMs: number): AppError {
  const waited = seconds(waitedMs);
  const all = seconds(SEARCH_DEADLINE_MS);
  const what = waited < 1 ? `took over ${all} s` : `waited ${waited} s, ran for ${all - waited} s`;
  return unavailable(
    `the search ${what} and was stopped: narrow it by a filter, or ask for a smaller offset`,
    1,
  );
}

export function searchRoutes(
  app: App,
  {
    collections,
    search,
    checkFilterCost,
    usage,
    queue,
  }: {
    collections: Collections;
    search: Search;
    checkFilterCost: CheckFilterCost;
    usage: UsageCounter;
    queue: FairQueue;
  },
): void {
  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/search',
    config: {
      role: 'read',
      audit: null,
      limitedKeys: true,
      headers: ['X-Principals', 'X-Search-Degraded'],
    },
    schema: {
      operationId: 'searchCollection',
      summary: 'Search a collection',
      tags,
      params: z.object({ readable_id: z.string() }),
      body: SearchBody,
      response: { 200: SearchAnswer },
    },
    handler: async (req, reply) => {
      const principals = principalsOf(req);
      const { id } = await collections.resolve(req.ctx, req.params.readable_id);
      const request = { collectionIds: [id], principals, body: req.body };
      return answerOf(req, reply, request);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/search',
    config: {
      role: 'read',
      audit: null,
      limitedKeys: true,
      headers: ['X-Principals', 'X-Search-Degraded'],
    },
    schema: {
      operationId: 'searchCollections',
      summary: 'Search several collections together',
      description:
        'Ranks the results as if all records were in one collection, and names the collection of each result. ' +
        'The body, the headers and the answer are otherwise those of the search of one collection.',
      tags,
      body: SearchAllBody,
      response: { 200: SearchAllAnswer },
    },
    handler: async (req, reply) => {
      const principals = principalsOf(req);
      const { collections: names, ...body } = req.body;
      const { rows, total } = await collections.resolveAll(req.ctx, names, MAX_COLLECTIONS);
      const named = rows.map(({ id, readable_id, name }) => ({ id, readable_id, name }));
      const collectionIds = named.map(({ id }) => id);
      const answer = await answerOf(req, reply, { collectionIds, named, principals, body });
      const leftOut = total - rows.length;
      return {
        ...answer,
        results: answer.results.map((one) => ({ ...one, collection: must(one.collection) })),
        metadata: { ...answer.metadata, ...(leftOut > 0 && { collections_left_out: leftOut }) },
      };
    },
  });

  async function answerOf(
    req: FastifyRequest,
    reply: FastifyReply,
    asked: Omit<SearchRequest, 'organizationId'>,
  ): Promise<SearchAnswer> {
    await checkFilterCost(asked.collectionIds, asked.body.filter);
    const organizationId = req.ctx.organization.id;
    const call = {
      caller: callerOf(req),
      collections: asked.collectionIds,
      signal: req.ctx.signal,
      late: tooSlow,
    };
    const answer = await queue.run(call, (signal) =>
      search.search({ organizationId, cause: causeOf(req.ctx), ...asked }, signal),
    );
    usage.count(organizationId, 'searches');
    const { degraded } = answer.metadata;
    if (degraded.length > 0) reply.header('x-search-degraded', degraded.join(', '));
    return answer;
  }

  app.route({
    method: 'GET',
    url: '/v1/collections/internal/filter-schema',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getFilterSchema',
      summary: 'Get the JSON Schema of the search filter',
      tags,
      response: { 200: z.record(z.string(), z.unknown()) },
    },
    handler: async () => filterJsonSchema(),
  });
}
