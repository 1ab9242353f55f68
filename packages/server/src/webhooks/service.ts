/** This service implements what a caller may do with webhook subscriptions. */
import type { Kysely } from 'kysely';
import { act, changedFields, holdCaller } from '../audit/act.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { DatabaseKind } from '../db/connect.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { conflict, forbidden, invalid, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { enqueue, enqueueAll } from '../jobs/queue.ts';
import { sealAgain, type Vault } from '../secrets.ts';
import type { Cause } from '../telemetry/trace.ts';
import { newId } from '../util.ts';
import * as attempts from './attempt-store.ts';
import * as recoveries from './recover-store.ts';
import type {
  NewSubscription,
  RecoverRequest,
  Recovery,
  Subscription,
  SubscriptionDetail,
  SubscriptionPatch,
} from './schema.ts';
import { makeSecret, toSecret } from './secret.ts';
import * as store from './store.ts';
import { refusalOf } from './url.ts';
import { toAttempt, toPending, toRecovery, toSubscription } from './view.ts';

const MAX_SUBSCRIPTIONS = 100;
const SHOWN_ATTEMPTS = 100;
const OLD_SECRET_MS = 24 * 3_600_000;
/** The number is limited because each old secret adds a signature to the headers of every delivery. */
const MAX_OLD_SECRETS = 10;

export interface WebhookDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly vault: Vault;
  readonly allowLoopback: boolean;
  /** Wakes the worker after a job was written into the queue. */
  readonly wake: () => void;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks({ db, kind, vault, allowLoopback, wake }: WebhookDeps) {
  function checkUrl(url: string): void {
    const refusal = refusalOf(url, allowLoopback);
    if (refusal) throw invalid(refusal, { loc: ['body', 'url'] });
  }

  async function rowOf(ctx: Ctx, id: string): Promise<store.ShownRow> {
    const row = await store.find(db, ctx.organization.id, id);
    if (!row) throw notFound('webhook subscription', id);
    return row;
  }

  async function locked(tx: Tx, ctx: Ctx, id: string): Promise<store.SubscriptionRow> {
    const row = await store.lock(tx, kind, { organizationId: ctx.organization.id, id });
    if (!row) throw notFound('webhook subscription', id);
    return row;
  }

  /** Inserts a recovery and the job that runs it. */
  async function startRecovery(
    tx: Tx,
    subscriptionId: string,
    { since, until, cause }: RecoverRequest & { readonly cause: Cause },
  ): Promise<recoveries.RecoveryRow> {
    const row: recoveries.RecoveryRow = {
      id: newId(),
      subscription_id: subscriptionId,
      since: Date.parse(since),
      until: until === undefined ? null : Date.parse(until),
      status: 'running',
      after_seq: 0,
      messages: 0,
      created_at: Date.now(),
      completed_at: null,
    };
    await recoveries.insert(tx, row);
    await enqueue(tx, 'webhook.recover', {
      data: { recoveryId: row.id },
      lane: subscriptionId,
      cause,
    });
    return row;
  }

  return {
    /** Nothing is sent to the URL. Only `get` shows the secret. */
    async create(ctx: Ctx, input: NewSubscription): Promise<Subscription> {
      checkUrl(input.url);
      const id = newId();
      const now = Date.now();
      const secret = input.secret === undefined ? makeSecret() : toSecret(input.secret);
      await act(db, ctx, async (tx, on) => {
        if (!(await lockOrganization(tx, ctx.organization.id)))
          throw notFound('organization', ctx.organization.id);
        if ((await store.count(tx, ctx.organization.id)) >= MAX_SUBSCRIPTIONS)
          throw conflict(
            `an organization has at most ${MAX_SUBSCRIPTIONS} subscriptions: delete one first`,
          );
        await store.insert(tx, {
          id,
          organization_id: ctx.organization.id,
          url: input.url,
          description: input.description ?? null,
          filter_types: JSON.stringify(input.event_types),
          secret: vault.seal(secret, id),
          secret_key: vault.keyId,
          disabled_at: input.disabled === true ? now : null,
          created_at: now,
          modified_at: now,
        });
        on({ id, name: hostOf(input.url), details: { event_types: input.event_types } });
      });
      return toSubscription(await rowOf(ctx, id));
    },

    async list(ctx: Ctx, page: Page): Promise<Listed<Subscription>> {
      const { total, rows } = await store.list(db, ctx.organization.id, page);
      return { total, rows: rows.map(toSubscription) };
    },

    async get(ctx: Ctx, id: string, showSecret: boolean): Promise<SubscriptionDetail> {
      if (showSecret && ctx.role === 'read')
        throw forbidden('a secret is shown to keys of the role member or admin');
      const row = await rowOf(ctx, id);
      const of = { subscriptionId: row.id };
      const [pending, ended] = await Promise.all([
        attempts.waiting(db, of, SHOWN_ATTEMPTS),
        attempts.ended(db, of, SHOWN_ATTEMPTS),
      ]);
      return {
        ...toSubscription(row),
        delivery_attempts: [...pending.reverse().map(toPending), ...ended.map(toAttempt)].slice(
          0,
          SHOWN_ATTEMPTS,
        ),
        ...(showSecret && { secret: vault.open(row.secret, row.id) as string }),
      };
    },

    /** Changes only the fields that the patch contains. */
    async update(ctx: Ctx, id: string, patch: SubscriptionPatch): Promise<Subscription> {
      if (patch.url !== undefined) checkUrl(patch.url);
      await act(db, ctx, async (tx, on) => {
        const before = await locked(tx, ctx, id);
        const disabled = patch.disabled ?? before.disabled_at !== null;
        if (disabled && patch.recover_since !== undefined)
          throw invalid('only an enabled subscription receives missed messages', {
            loc: ['body', 'recover_since'],
          });
        // Deliveries that were pending when the subscription was disabled are stopped; a recovery can deliver them
        // later.
        if (disabled || before.disabled_at !== null) await store.stopPending(tx, kind, [id]);
        await store.update(tx, id, changesOf(before, patch, disabled));
        if (patch.recover_since !== undefined)
          await startRecovery(tx, id, { since: patch.recover_since, cause: causeOf(ctx) });
        on({ id, name: hostOf(patch.url ?? before.url), details: changedFields(patch) });
      });
      wake();
      return toSubscription(await rowOf(ctx, id));
    },

    /** After the commit, nothing more is sent. A background job removes the rows. */
    async remove(ctx: Ctx, id: string): Promise<Subscription> {
      const row = await rowOf(ctx, id);
      await act(db, ctx, async (tx, on) => {
        const { url } = await locked(tx, ctx, id);
        await store.remove(tx, id);
        await enqueue(tx, 'webhook.cleanup', {
          data: { subscriptionId: id },
          lane: id,
          cause: causeOf(ctx),
        });
        on({ id, name: hostOf(url) });
      });
      return toSubscription(row);
    },

    /**
     * Removes all subscriptions of a deleted organization. After the commit of the transaction, nothing more is sent.
     */
    async removeAll(tx: Tx, organizationId: string, cause: Cause): Promise<void> {
      const ids = await store.removeAll(tx, organizationId);
      const cleanups = ids.map((id) => ({ data: { subscriptionId: id }, lane: id, cause }));
      await enqueueAll(tx, 'webhook.cleanup', cleanups);
    },

    /** Makes a new secret. For a day, deliveries are also signed with the old secret. */
    async rotateSecret(ctx: Ctx, id: string): Promise<Subscription> {
      await act(db, ctx, async (tx, on) => {
        const row = await locked(tx, ctx, id);
        const now = Date.now();
        // One key seals all secrets of a row, so the earlier ones are sealed again with the key that seals the new one.
        const old = [{ secret: row.secret, until: now + OLD_SECRET_MS }, ...row.old_secrets]
          .filter(({ until }) => until > now)
          .slice(0, MAX_OLD_SECRETS)
          .map(({ secret, until }) => ({ secret: sealAgain(vault, secret, id), until }));
        await store.update(tx, id, {
          secret: vault.seal(makeSecret(), id),
          secret_key: vault.keyId,
          old_secrets: JSON.stringify(old),
          modified_at: Math.max(now, row.modified_at + 1),
        });
        on({ id, name: hostOf(row.url) });
      });
      return toSubscription(await rowOf(ctx, id));
    },

    async recover(ctx: Ctx, id: string, request: RecoverRequest): Promise<Recovery> {
      if (request.until !== undefined && Date.parse(request.until) < Date.parse(request.since))
        throw invalid('until must not be before since', { loc: ['body', 'until'] });
      const row = await db.transaction().execute(async (tx) => {
        await holdCaller(tx, ctx);
        const { disabled_at } = await locked(tx, ctx, id);
        if (disabled_at !== null)
          throw conflict('the subscription is disabled: enable it first, with recover_since');
        return startRecovery(tx, id, { ...request, cause: causeOf(ctx) });
      });
      wake();
      return toRecovery(row);
    },

    async recovery(ctx: Ctx, id: string, taskId: string): Promise<Recovery> {
      await rowOf(ctx, id);
      const row = await recoveries.find(db, id, taskId);
      if (!row) throw notFound('recovery', taskId);
      return toRecovery(row);
    },
  };
}

/** The path and the query of an endpoint may hold a secret of the receiver. */
const hostOf = (url: string): string => new URL(url).host;

function changesOf(before: store.SubscriptionRow, patch: SubscriptionPatch, disabled: boolean) {
  const now = Date.now();
  const wasDisabled = before.disabled_at !== null;
  return {
    ...(patch.url !== undefined && { url: patch.url }),
    ...(patch.event_types && { filter_types: JSON.stringify(patch.event_types) }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(disabled !== wasDisabled && { disabled_at: disabled ? now : null, disabled_reason: null }),
    // The earlier failures say nothing about an endpoint that was enabled again or has a new URL.
    ...((wasDisabled || patch.url !== undefined) && {
      failing_since: null,
      rest_until: 0,
    }),
    modified_at: Math.max(now, before.modified_at + 1),
  };
}
