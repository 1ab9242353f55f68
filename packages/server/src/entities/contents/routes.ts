/**
 * These are the HTTP routes of synced contents. The schemas check requests and answers, and the handlers call the
 * service.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../../http/caller.ts';
import { createFairQueue } from '../../http/fair-queue.ts';
import { principalsOf } from '../../http/principals.ts';
import type { App } from '../../http/server.ts';
import {
  CollectionContents,
  ContentDocument,
  GrepAnswer,
  GrepBody,
  ListAnswer,
  ListQuery,
  ReadQuery,
  TreeAnswer,
  TreeQuery,
} from './schema.ts';
import type { Contents, ContentsRequest } from './service.ts';

const tags = ['contents'];
const params = z.object({ readable_id: z.string() });
const PERSON =
  'An admin key, or a key with search_as, may send X-Principals to get only what that person may see.';

/** A caller may run only a few of these requests at the same time, because a regular expression may take long. */
const GREPS = { atOnce: 2, waiting: 1000 };
/** The greps of all callers share one thread. */
const GREPS_AT_ONCE = 4;
/** A grep that has not begun by then is refused. */
const LONGEST_WAIT_MS = 30_000;

export function contentRoutes(app: App, contents: Contents): void {
  const queue = createFairQueue({
    places: () => GREPS_AT_ONCE,
    caller: GREPS,
    deadlineMs: LONGEST_WAIT_MS,
  });
  const config = { role: 'read', limitedKeys: true, headers: ['X-Principals'] } as const;

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id/contents',
    config,
    schema: {
      operationId: 'getContents',
      summary: 'Describe the contents of a collection',
      description: `The answer lists its sources, types of entities, and the fields that a filter may name. ${PERSON}`,
      tags,
      params,
      response: { 200: CollectionContents },
    },
    handler: (req) => contents.about(req.ctx, requestOf(req, req.params)),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id/contents/list',
    config,
    schema: {
      operationId: 'listContents',
      summary: 'List the records of a collection',
      description: `The records come in the order of connection and entity_id, one page at a time. ${PERSON}`,
      tags,
      params,
      querystring: ListQuery,
      response: { 200: ListAnswer },
    },
    handler: (req) => contents.list(req.ctx, requestOf(req, req.params), req.query),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id/contents/tree',
    config,
    schema: {
      operationId: 'listContentsTree',
      summary: 'List what is directly below a breadcrumb of a source connection',
      description: `Folders and the like come as branches, records as items. Records are looked at in the order of entity_id, one page at a time, so a later page may have more of a branch. ${PERSON}`,
      tags,
      params,
      querystring: TreeQuery,
      response: { 200: TreeAnswer },
    },
    handler: (req) => contents.tree(req.ctx, requestOf(req, req.params), req.query),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id/contents/read',
    config,
    schema: {
      operationId: 'readContents',
      summary: 'Read a record, chunk by chunk',
      description: PERSON,
      tags,
      params,
      querystring: ReadQuery,
      response: { 200: ContentDocument },
    },
    handler: (req) => contents.read(req.ctx, requestOf(req, req.params), req.query),
  });

  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/contents/grep',
    config: { ...config, audit: null },
    schema: {
      operationId: 'grepContents',
      summary: 'Find the lines that a regular expression matches',
      description:
        'The search covers the text of every record that matches the filter, for two seconds per page. ' +
        `For each caller ${GREPS.atOnce} of these requests run at once and ${GREPS.waiting} wait; further ones are answered with 429. ${PERSON}`,
      tags,
      params,
      body: GrepBody,
      response: { 200: GrepAnswer },
    },
    handler: (req) => {
      const { readable_id } = req.params;
      const call = {
        caller: callerOf(req),
        collections: [`${req.ctx.organization.id} ${readable_id}`],
        signal: req.ctx.signal,
      };
      return queue.run(call, () => contents.grep(req.ctx, requestOf(req, req.params), req.body));
    },
  });
}

const requestOf = (
  req: Pick<FastifyRequest, 'ctx' | 'headers'>,
  params: { readonly readable_id: string },
): ContentsRequest => ({ collection: params.readable_id, principals: principalsOf(req) });
