/** Serves the agentic search over HTTP, as an answer or as a stream of events with the same content. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collections } from '../../collections/service.ts';
import { causeOf } from '../../context.ts';
import { forbidden } from '../../errors.ts';
import { callerOf } from '../../http/caller.ts';
import type { FairQueue } from '../../http/fair-queue.ts';
import { principalsOf } from '../../http/principals.ts';
import type { App } from '../../http/server.ts';
import type { UsageCounter } from '../../usage/counter.ts';
import type { CheckFilterCost } from '../filter-cost.ts';
import { eventsOf } from './events.ts';
import type { Quota } from './quota.ts';
import { AgenticAnswer, AgenticBody, AgenticEvent } from './schema.ts';
import type { Agent, AgenticRequest } from './service.ts';

const FLAG = 'AGENTIC_SEARCH';

const shape = {
  tags: ['search'],
  params: z.object({ readable_id: z.string() }),
  body: AgenticBody,
};

export function agenticRoutes(
  app: App,
  {
    collections,
    agent,
    quota,
    checkFilterCost,
    usage,
    queue,
  }: {
    collections: Collections;
    agent: Agent;
    quota: Quota;
    checkFilterCost: CheckFilterCost;
    usage: UsageCounter;
    queue: FairQueue;
  },
): void {
  const agentFor = (req: Pick<FastifyRequest, 'ctx' | 'headers'>): Agent => ({
    run: (request, tell, signal) =>
      queue.run({ caller: callerOf(req), collections: request.collectionIds, signal }, () =>
        agent.run(request, tell, signal),
      ),
  });

  /** Checks the request before its response begins, and counts it against the quota. */
  async function accept(
    req: Pick<FastifyRequest, 'ctx' | 'headers'>,
    readableId: string,
    body: AgenticBody,
  ): Promise<AgenticRequest> {
    const { organization } = req.ctx;
    if (!organization.features.has(FLAG))
      throw forbidden(
        `agentic search is off for this organization; an admin may switch ${FLAG} on`,
      );
    const principals = principalsOf(req);
    const { id } = await collections.resolve(req.ctx, readableId);
    await checkFilterCost([id], body.filter);
    await quota.take(req.ctx);
    usage.count(organization.id, 'agenticSearches');
    return {
      organizationId: organization.id,
      collectionIds: [id],
      principals,
      body,
      cause: causeOf(req.ctx),
    };
  }

  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/agentic-search',
    config: {
      role: 'read',
      audit: null,
      limitedKeys: true,
      headers: ['X-Principals', 'X-Search-Degraded'],
    },
    schema: {
      operationId: 'agenticSearch',
      summary: 'Ask a collection: plan, search, evaluate, answer',
      description: `Needs the feature flag ${FLAG}. Each request counts against \`quotas.agentic_queries_per_hour\`.`,
      ...shape,
      response: { 200: AgenticAnswer },
    },
    handler: async (req, reply) => {
      const request = await accept(req, req.params.readable_id, req.body);
      const answer = await agentFor(req).run(request, () => {}, req.ctx.signal);
      const { degraded } = answer.metadata;
      if (degraded.length > 0) reply.header('x-search-degraded', degraded.join(', '));
      return answer;
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/collections/:readable_id/agentic-search/stream',
    config: { role: 'read', audit: null, limitedKeys: true, headers: ['X-Principals'] },
    schema: {
      operationId: 'streamAgenticSearch',
      summary: 'Ask a collection and watch the steps',
      description:
        'Server-Sent Events, each a `data:` line with JSON. The types are `planning`, `search` and `evaluation`; the ' +
        'last event is `done`, with the answer of the route without `/stream`, or `error`. A comment line every 15 ' +
        'seconds keeps the connection alive. The search stops when the client disconnects.',
      ...shape,
      response: {
        200: {
          description: 'Events; the field `type` says which event it is.',
          content: { 'text/event-stream': { schema: AgenticEvent } },
        },
      },
    },
    handler: async (req, reply) => {
      const request = await accept(req, req.params.readable_id, req.body);
      // Without a named origin the contract wants this header, with which a page can still send no key.
      if (!reply.hasHeader('access-control-allow-origin'))
        void reply.header('access-control-allow-origin', '*');
      return reply.sendEvents((signal) => eventsOf(agentFor(req), request, signal));
    },
  });
}
