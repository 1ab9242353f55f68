/**
 * This service shows which messages were sent, to which endpoints and with which outcome. It also sends a
 * message that only tests an endpoint.
 */
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { instant, newId } from '../util.ts';
import * as attempts from './attempt-store.ts';
import * as store from './message-store.ts';
import type { Message, MessageDetail } from './schema.ts';
import { holdUnchanged } from './store.ts';
import { toAttempt, toMessage, toPending } from './view.ts';

const SHOWN_ATTEMPTS = 1000;
export const TEST_TYPE = 'test';

export interface MessageDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly wake: () => void;
}

export type WebhookMessages = ReturnType<typeof createWebhookMessages>;

export function createWebhookMessages({ db, kind, wake }: MessageDeps) {
  return {
    async list(
      ctx: Ctx,
      query: Page & { readonly event_types: readonly string[] },
    ): Promise<Listed<Message>> {
      const { event_types: types, ...page } = query;
      const { total, rows } = await store.list(db, ctx.organization.id, { ...page, types });
      return { total, rows: rows.map(toMessage) };
    },

    async get(ctx: Ctx, id: string, includeAttempts: boolean): Promise<MessageDetail> {
      const row = await store.find(db, ctx.organization.id, id);
      if (!row) throw notFound('message', id);
      if (!includeAttempts) return toMessage(row);
      const of = { messageId: row.id };
      const [pending, ended] = await Promise.all([
        attempts.waiting(db, of, SHOWN_ATTEMPTS),
        attempts.ended(db, of, SHOWN_ATTEMPTS),
      ]);
      const all = [...pending.reverse().map(toPending), ...ended.map(toAttempt)];
      return { ...toMessage(row), delivery_attempts: all.slice(0, SHOWN_ATTEMPTS) };
    },

    /** The test message is delivered like any other message, whatever event types the subscription has chosen. */
    async test(ctx: Ctx, subscriptionId: string): Promise<Message> {
      const now = Date.now();
      const row = {
        id: newId(),
        event_type: TEST_TYPE,
        payload: JSON.stringify({
          event_type: TEST_TYPE,
          timestamp: instant(now),
          organization_id: ctx.organization.id,
          subscription_id: subscriptionId,
          message: 'This message tests the endpoint. Nothing has happened.',
        }),
        created_at: now,
      };
      await db.transaction().execute(async (tx) => {
        const subscription = await holdUnchanged(tx, kind, {
          organizationId: ctx.organization.id,
          id: subscriptionId,
        });
        if (!subscription) throw notFound('webhook subscription', subscriptionId);
        if (subscription.disabled_at !== null)
          throw conflict('the subscription is disabled: enable it first');
        const message = { ...row, organization_id: ctx.organization.id };
        await store.insertTest(tx, subscriptionId, message);
      });
      wake();
      return toMessage(row);
    },
  };
}
