/**
 * Runs webhooks on a database without the HTTP API. A test can make organizations with subscriptions, emit messages as
 * the product does, start workers that deliver the messages, and move their clock.
 */
import pino from 'pino';
import type { Ctx } from '../../context.ts';
import type { Tx } from '../../db/schema.ts';
import { emit } from '../../events/store.ts';
import { createVault } from '../../secrets.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { NO_TRACER } from '../../telemetry/trace.ts';
import { newId } from '../../util.ts';
import { type DeliverDeps, startDeliveries } from '../../webhooks/deliver/deliver.ts';
import { createWebhookMessages } from '../../webhooks/message-service.ts';
import { recover } from '../../webhooks/recover.ts';
import { makeSecret } from '../../webhooks/secret.ts';
import { createWebhooks } from '../../webhooks/service.ts';
import { insertOrganization } from '../api/rows.ts';
import type { TestDatabase } from '../databases.ts';
import { anywhere } from '../environment.ts';
import { contextOf } from '../identity.ts';

const vault = createVault('a secret of the tests, long enough');
const log = pino({ level: process.env.TEST_LOG ?? 'silent' });

export type Post = ReturnType<typeof openPost>;

export function openPost(database: TestDatabase) {
  const { db, kind } = database;
  const deps = { db, kind, vault, allowLoopback: true, wake };
  const webhooks = createWebhooks(deps);
  const messages = createWebhookMessages(deps);
  const workers = new Set<ReturnType<typeof startDeliveries>>();
  let ahead = 0;

  function wake(): void {
    for (const worker of workers) worker.wake();
  }

  async function organization(): Promise<Ctx> {
    const id = await insertOrganization(db);
    return contextOf(id, { account: { id: newId(), email: 'owner@localhost' }, log });
  }

  const emitIn = (tx: Tx, ctx: Ctx, count = 1) =>
    emit(
      tx,
      ...Array.from({ length: count }, (_, i) => ({
        type: 'collection.created' as const,
        organizationId: ctx.organization.id,
        collectionId: 'c',
        connectionId: null,
        fields: { collection_id: 'c', collection_readable_id: 'c', collection_name: `number ${i}` },
      })),
    );

  return {
    db,
    kind,
    webhooks,
    messages,
    organization,
    wake,
    emitIn,
    /** Emits messages, and returns their ids. */
    async tell(ctx: Ctx, count = 1): Promise<string[]> {
      await db.transaction().execute((tx) => emitIn(tx, ctx, count));
      wake();
      const rows = await db
        .selectFrom('events')
        .select('id')
        .where('organization_id', '=', ctx.organization.id)
        .orderBy('seq', 'desc')
        .limit(count)
        .execute();
      return rows.map(({ id }) => id).reverse();
    },
    subscribe: (ctx: Ctx, url: string) =>
      webhooks.create(ctx, { url, event_types: ['collection.created'] }),
    now: () => Date.now() + ahead,
    /** Moves the clock forward. */
    pass(ms: number): void {
      ahead += ms;
      wake();
    },
    /** Sets the clock back to the present, so that deliveries that are due later wait again. */
    rewind(): void {
      ahead = 0;
    },
    start(over: Partial<DeliverDeps> = {}) {
      const worker = startDeliveries({
        ...deps,
        send: anywhere.send,
        clock: async () => Date.now() + ahead,
        metrics: createMetrics(),
        tracer: NO_TRACER,
        log,
        pollMs: () => 250,
        // On a busy machine, an attempt could exceed a shorter deadline and would be repeated.
        deadlineMs: 30_000,
        ...over,
      });
      workers.add(worker);
      return {
        stop() {
          workers.delete(worker);
          return worker.stop();
        },
      };
    },
    async stopAll(): Promise<void> {
      for (const worker of workers) await worker.stop();
      workers.clear();
    },
    /** Inserts many subscriptions at once, which is faster than creating them one by one. */
    async subscribeMany(ctx: Ctx, urls: readonly string[]): Promise<void> {
      await db
        .insertInto('webhook_subscriptions')
        .values(
          urls.map((url) => {
            const id = newId();
            return {
              id,
              organization_id: ctx.organization.id,
              url,
              filter_types: '["collection.created"]',
              secret: vault.seal(makeSecret(), id),
              secret_key: vault.keyId,
              created_at: 0,
              modified_at: 0,
            };
          }),
        )
        .execute();
    },
    /** Runs the recoveries that were requested. */
    async recoverAll(): Promise<void> {
      const jobs = await db
        .deleteFrom('jobs')
        .where('name', '=', 'webhook.recover')
        .returning('data')
        .execute();
      for (const { data } of jobs) {
        const { recoveryId } = (typeof data === 'string' ? JSON.parse(data) : data) as {
          recoveryId: string;
        };
        await recover({ db, kind }, recoveryId, new AbortController().signal);
      }
      wake();
    },
    /** Returns the deliveries of a subscription, in the order of their messages. */
    deliveries: (subscriptionId: string) =>
      db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('subscription_id', '=', subscriptionId)
        .orderBy('event_seq')
        .execute(),
    async close() {
      await this.stopAll();
      await database.close();
    },
  };
}
