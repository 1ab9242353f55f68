/**
 * These are the HTTP routes of webhook subscriptions. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import type { WebhookMessages } from './message-service.ts';
import {
  Include,
  Message,
  NewSubscription,
  RecoverRequest,
  Recovery,
  Subscription,
  SubscriptionDetail,
  SubscriptionPatch,
} from './schema.ts';
import type { Webhooks } from './service.ts';

const Params = z.object({ id: z.string() });
const tags = ['webhooks'];

export function webhookRoutes(app: App, webhooks: Webhooks, messages: WebhookMessages): void {
  app.route({
    method: 'POST',
    url: '/v1/webhooks/subscriptions',
    config: { role: 'member', audit: 'webhook.created' },
    schema: {
      operationId: 'createWebhookSubscription',
      summary: 'Subscribe an endpoint to events',
      description:
        'This sends nothing to the URL. GET of the subscription shows the secret with include_secret=true.',
      tags,
      body: NewSubscription,
      response: { 200: Subscription },
    },
    handler: (req) => webhooks.create(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/webhooks/subscriptions',
    config: { role: 'read' },
    schema: {
      operationId: 'listWebhookSubscriptions',
      summary: 'List webhook subscriptions, newest first',
      tags,
      querystring: Page,
      response: { 200: z.array(Subscription) },
    },
    handler: async (req, reply) => sendList(reply, await webhooks.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/webhooks/subscriptions/:id',
    config: { role: 'read' },
    schema: {
      operationId: 'getWebhookSubscription',
      summary: 'Get a webhook subscription with its newest attempts',
      tags,
      params: Params,
      querystring: z.object({
        include_secret: Include.describe('Show the signing secret too; needs the role member.'),
      }),
      response: { 200: SubscriptionDetail },
    },
    handler: (req) => webhooks.get(req.ctx, req.params.id, req.query.include_secret === 'true'),
  });

  app.route({
    method: 'PATCH',
    url: '/v1/webhooks/subscriptions/:id',
    config: { role: 'member', audit: 'webhook.updated' },
    schema: {
      operationId: 'updateWebhookSubscription',
      summary: 'Change, disable or enable a webhook subscription',
      tags,
      params: Params,
      body: SubscriptionPatch,
      response: { 200: Subscription },
    },
    handler: (req) => webhooks.update(req.ctx, req.params.id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/webhooks/subscriptions/:id',
    config: { role: 'member', audit: 'webhook.deleted' },
    schema: {
      operationId: 'deleteWebhookSubscription',
      summary: 'Delete a webhook subscription; nothing more is delivered',
      tags,
      params: Params,
      response: { 200: Subscription },
    },
    handler: (req) => webhooks.remove(req.ctx, req.params.id),
  });

  app.route({
    method: 'POST',
    url: '/v1/webhooks/subscriptions/:id/rotate-secret',
    config: { role: 'member', audit: 'webhook.secret_rotated' },
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new signing secret',
      description: 'For 24 hours deliveries are also signed with the old secret.',
      tags,
      params: Params,
      response: { 200: Subscription },
    },
    handler: (req) => webhooks.rotateSecret(req.ctx, req.params.id),
  });

  app.route({
    method: 'POST',
    url: '/v1/webhooks/subscriptions/:id/test',
    config: { role: 'member', audit: null },
    schema: {
      operationId: 'testWebhookSubscription',
      summary: 'Send a test message to an endpoint',
      tags,
      params: Params,
      response: { 202: Message },
    },
    handler: async (req, reply) =>
      reply.code(202).send(await messages.test(req.ctx, req.params.id)),
  });

  app.route({
    method: 'POST',
    url: '/v1/webhooks/subscriptions/:id/recover',
    config: { role: 'member', audit: null },
    schema: {
      operationId: 'recoverWebhookMessages',
      summary: 'Deliver the undelivered messages of a period',
      tags,
      params: Params,
      body: RecoverRequest,
      response: { 202: Recovery },
    },
    handler: async (req, reply) =>
      reply.code(202).send(await webhooks.recover(req.ctx, req.params.id, req.body)),
  });

  app.route({
    method: 'GET',
    url: '/v1/webhooks/subscriptions/:id/recover/:task_id',
    config: { role: 'read' },
    schema: {
      operationId: 'getWebhookRecovery',
      summary: 'Get the progress of a recovery',
      tags,
      params: Params.extend({ task_id: z.string() }),
      response: { 200: Recovery },
    },
    handler: (req) => webhooks.recovery(req.ctx, req.params.id, req.params.task_id),
  });
}
