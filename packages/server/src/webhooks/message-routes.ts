/**
 * These are the HTTP routes of webhook messages. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { EVENT_TYPES } from '../events/types.ts';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { TEST_TYPE, type WebhookMessages } from './message-service.ts';
import { Include, Message, MessageDetail } from './schema.ts';

const Type = z.enum([...EVENT_TYPES, TEST_TYPE]);
const tags = ['webhooks'];

export function webhookMessageRoutes(app: App, messages: WebhookMessages): void {
  app.route({
    method: 'GET',
    url: '/v1/webhooks/messages',
    config: { role: 'read' },
    schema: {
      operationId: 'listWebhookMessages',
      summary: 'List messages, newest first',
      description: 'The messages of the last 30 days, also those that no subscription receives.',
      tags,
      querystring: Page.extend({
        event_types: z
          .union([Type, z.array(Type)])
          .default([])
          .describe(
            'Event types to list; repeat the parameter for several. All types when omitted.',
          ),
      }),
      response: { 200: z.array(Message) },
    },
    handler: async (req, reply) => {
      const event_types = [req.query.event_types].flat();
      return sendList(reply, await messages.list(req.ctx, { ...req.query, event_types }));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/webhooks/messages/:message_id',
    config: { role: 'read' },
    schema: {
      operationId: 'getWebhookMessage',
      summary: 'Get a message',
      tags,
      params: z.object({ message_id: z.string() }),
      querystring: z.object({
        include_attempts: Include.describe('Show its attempts at all endpoints too.'),
      }),
      response: { 200: MessageDetail },
    },
    handler: (req) =>
      messages.get(req.ctx, req.params.message_id, req.query.include_attempts === 'true'),
  });
}
