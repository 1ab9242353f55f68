/** This service implements what a caller may do with a source connection. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Collections } from '../collections/service.ts';
import type { Ctx } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { invalid, notFound } from '../errors.ts';
import { emit } from '../events/store.ts';
import type { Listed } from '../http/lists.ts';
import type { Push } from '../model/pushed.ts';
import { reachOf } from '../model/reach.ts';
import type { RateLimiter } from '../rate-limits/limiter.ts';
import type { Vault } from '../secrets.ts';
import { forget as forgetTokens } from '../sign-in/token-store.ts';
import { type Source, type SourceEnvironment, syncMode } from '../sources/define.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import type { Syncs } from '../syncs/service.ts';
import type { Transformers } from '../transformers/service.ts';
import { must, newId } from '../util.ts';
import { signInOf } from './authentication.ts';
import {
  checkPush,
  checkSource,
  checkTransformable,
  isSameConfig,
  newCredentials,
  parseConfig,
  parseCredentials,
} from './check.ts';
import { createJobActions } from './jobs.ts';
import { removeConnection } from './remove.ts';
import { nextRun, planFullEvery, planSchedule, scheduleOf } from './schedule.ts';
import type { NewSourceConnection, SourceConnection, SourceConnectionPatch } from './schema.ts';
import { createJobStarter } from './start.ts';
import * as store from './store.ts';
import { connectionEvent, toSourceConnection } from './view.ts';

export interface ConnectionDeps {
  readonly db: Kysely<Schema>;
  readonly collections: Collections;
  readonly syncs: Syncs;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly rateLimiter: RateLimiter;
  readonly transformers: Pick<Transformers, 'checkConfigured' | 'lockChecked'>;
  readonly vault: Vault;
  readonly log: Logger;
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(deps: ConnectionDeps) {
  const { db, sources, syncs, vault } = deps;
  const jobStarter = createJobStarter(deps);

  async function visibleRow(ctx: Ctx, id: string): Promise<store.ConnectionRow> {
    const row = await store.find(db, reachOf(ctx), id);
    if (!row) throw notFound('source connection', id);
    return row;
  }

  async function show(rows: readonly store.ConnectionRow[]): Promise<SourceConnection[]> {
    const ids = rows.map(({ id }) => id);
    const [lastJobs, busy, counts] = await Promise.all([
      syncs.newest(ids),
      syncs.busy(ids),
      store.counts(db, ids),
    ]);
    return rows.map((row) =>
      toSourceConnection(row, {
        lastJob: lastJobs.get(row.id),
        isBusy: busy.has(row.id),
        counts: counts.get(row.id) ?? [],
        source: sources.get(row.short_name),
      }),
    );
  }

  const showOne = async (row: store.ConnectionRow) => must((await show([row]))[0]);

  function sourceNamed(shortName: string): Source {
    const source = sources.get(shortName);
    if (!source) throw notFound('source', shortName);
    return source;
  }

  const get = async (ctx: Ctx, id: string): Promise<SourceConnection> =>
    showOne(await visibleRow(ctx, id));

  return {
    /**
     * Validates the request and asks the source to check it. Then saves the connection and its first job in one
     * transaction.
     */
    async create(ctx: Ctx, input: NewSourceConnection): Promise<SourceConnection> {
      const source = sourceNamed(input.short_name);
      const collection = await deps.collections.resolve(ctx, input.readable_collection_id);
      const { method, credentials: given, loc } = signInOf(source, input);
      const config = parseConfig(source, input.config);
      const credentials = parseCredentials(source, given, loc);
      const now = new Date();
      const schedule = planSchedule(source, input.schedule, { now });
      const fullEvery = planFullEvery(source, input.full_every, undefined);
      const transformers = input.transformers ?? [];
      checkTransformable(source, transformers);
      const checked = await deps.transformers.checkConfigured(ctx, transformers);
      await checkSource(deps, ctx, { source, config, credentials, connectionId: null, loc });

      const id = newId();
      await db.transaction().execute(async (tx) => {
        // Another request may have deleted the collection while the source made its check.
        if (!(await store.lockCollection(tx, collection.id)))
          throw notFound('collection', input.readable_collection_id);
        await deps.transformers.lockChecked(tx, ctx.organization.id, checked);
        await store.insert(tx, {
          id,
          organization_id: ctx.organization.id,
          collection_id: collection.id,
          name: input.name,
          description: input.description ?? null,
          short_name: source.shortName,
          config: JSON.stringify(config),
          auth_method: method,
          credentials: credentials && vault.seal(credentials, id),
          credentials_key: credentials && vault.keyId,
          authenticated_at: now.getTime(),
          configured_at: now.getTime(),
          cron: schedule.cron,
          continuous: schedule.continuous,
          cursor_field: schedule.cursorField,
          next_run_at: nextRun(schedule.cron, now),
          full_every: fullEvery,
          transformers: JSON.stringify(transformers),
          sync_id: newId(),
          generation: 0,
          total_runs: 0,
          successful_runs: 0,
          failed_runs: 0,
          created_at: now.getTime(),
          modified_at: now.getTime(),
          created_by_email: ctx.account.email,
          modified_by_email: ctx.account.email,
        });
        const row = must(await store.find(tx, reachOf(ctx), id));
        await emit(tx, connectionEvent('source_connection.created', row));
        if (source.pull && input.sync_immediately !== false)
          await syncs.start(tx, row, { trigger: 'creation', email: ctx.account.email });
      });
      syncs.wake();
      return get(ctx, id);
    },

    async list(
      ctx: Ctx,
      query: { collection?: string | undefined; skip: number; limit: number },
    ): Promise<Listed<SourceConnection>> {
      const collection =
        query.collection === undefined
          ? undefined
          : await deps.collections.resolve(ctx, query.collection);
      const page = { skip: query.skip, limit: query.limit, collectionId: collection?.id };
      const { total, rows } = await store.list(db, reachOf(ctx), page);
      return { total, rows: await show(rows) };
    },

    get,

    /** Fields that the patch leaves out keep their value. New credentials and settings are checked first. */
    async update(ctx: Ctx, id: string, patch: SourceConnectionPatch): Promise<SourceConnection> {
      const row = await visibleRow(ctx, id);
      const source = sourceNamed(row.short_name);
      const renewed = newCredentials(source, row.auth_method, patch);
      const config = patch.config === undefined ? undefined : parseConfig(source, patch.config);
      const now = new Date();
      const current = scheduleOf(row);
      const schedule = patch.schedule && planSchedule(source, patch.schedule, { now, current });
      const fullEvery = planFullEvery(source, patch.full_every, row.full_every);
      checkTransformable(source, patch.transformers ?? []);
      const checked = await deps.transformers.checkConfigured(ctx, patch.transformers ?? []);
      if (config || renewed) {
        const kept = row.credentials && vault.open(row.credentials, id);
        await checkSource(deps, ctx, {
          source,
          config: config ?? row.config,
          credentials: renewed?.credentials ?? kept,
          connectionId: id,
          loc: renewed?.loc ?? ['body', 'config'],
        });
      }
      await db.transaction().execute(async (tx) => {
        await deps.transformers.lockChecked(tx, ctx.organization.id, checked);
        // The row is read again with a lock, because another request may have changed it.
        const before = await store.lockRow(tx, reachOf(ctx), id);
        if (!before) throw notFound('source connection', id);
        // This time must differ from the earlier one even when the clock was set back, because a sync recognizes a
        // changed configuration by it.
        const configuredAt = Math.max(now.getTime(), before.configured_at + 1);
        if (renewed) await forgetTokens(tx, id);
        await store.update(tx, id, {
          ...(patch.name !== undefined && { name: patch.name }),
          ...(patch.description !== undefined && { description: patch.description }),
          ...(patch.full_every !== undefined && { full_every: fullEvery }),
          ...(patch.transformers && { transformers: JSON.stringify(patch.transformers) }),
          // The cursor is dropped, because it belongs to the records that the old configuration selected.
          ...(config &&
            !isSameConfig(config, before.config) && {
              config: JSON.stringify(config),
              configured_at: configuredAt,
              cursor: null,
            }),
          ...(renewed && {
            credentials: renewed.credentials && vault.seal(renewed.credentials, id),
            credentials_key: renewed.credentials && vault.keyId,
            authenticated_at: now.getTime(),
            refused_at: null,
            // New credentials may lead to another account or database.
            configured_at: configuredAt,
            cursor: null,
          }),
          ...(schedule && {
            cron: schedule.cron,
            continuous: schedule.continuous,
            cursor_field: schedule.cursorField,
            next_run_at: nextRun(schedule.cron, now),
            ...(schedule.cursorField !== before.cursor_field && { cursor: null }),
          }),
          modified_at: Math.max(now.getTime(), before.modified_at + 1),
          modified_by_email: ctx.account.email,
        });
      });
      return get(ctx, id);
    },

    /** Deletes the connection and returns it as it was. */
    async remove(ctx: Ctx, id: string): Promise<SourceConnection> {
      const row = await visibleRow(ctx, id);
      const asItWas = await showOne(row);
      await removeConnection({ db, syncs }, row, ctx.account.email);
      syncs.wake();
      return asItWas;
    },

    async run(ctx: Ctx, id: string, force: boolean): Promise<SourceConnectionJob> {
      const row = await visibleRow(ctx, id);
      const source = sourceNamed(row.short_name);
      return jobStarter.pull(row, source, { trigger: 'manual', force, email: ctx.account.email });
    },

    /** Transforms the stored entities again, without asking the source. */
    async reprocess(ctx: Ctx, id: string): Promise<SourceConnectionJob> {
      const row = await visibleRow(ctx, id);
      return jobStarter.reprocess(row, sourceNamed(row.short_name), ctx.account.email);
    },

    /** Starts a sync of each connection of the collection that can be pulled and has no unfinished job. */
    async refreshAll(ctx: Ctx, readableId: string): Promise<SourceConnectionJob[]> {
      const collection = await deps.collections.resolve(ctx, readableId);
      const jobs = await db.transaction().execute(async (tx) => {
        // A deletion of the collection locks the connections in another order. Both take this lock first, so they
        // cannot deadlock.
        if (!(await store.lockCollection(tx, collection.id)))
          throw notFound('collection', readableId);
        const started: SourceConnectionJob[] = [];
        for (const row of await store.idle(tx, collection.id)) {
          if (!sources.get(row.short_name)?.pull) continue;
          // Another request may have started a sync of this connection or deleted the connection.
          if (!(await store.lock(tx, row.id)) || (await syncs.isBusy(tx, row.id))) continue;
          started.push(await syncs.start(tx, row, { trigger: 'manual', email: ctx.account.email }));
        }
        return started;
      });
      syncs.wake();
      return jobs;
    },

    /** Stores the push with its job. The worker applies pushes in the order in which they arrived. */
    async push(ctx: Ctx, id: string, push: Push): Promise<SourceConnectionJob> {
      const row = await visibleRow(ctx, id);
      const mode = syncMode(sourceNamed(row.short_name));
      if (mode !== 'push')
        throw invalid(
          `a ${row.short_name} connection ${mode === 'pull' ? 'pulls by itself' : 'is searched live'}; only push connections take entities`,
          { loc: ['path', 'id'], code: 'not_pushable' },
        );
      checkPush(push);
      const body = await syncs.packPush(push);
      const job = await db.transaction().execute(async (tx) => {
        if (!(await store.lock(tx, id))) throw notFound('source connection', id);
        return syncs.startPush(tx, row, { body, email: ctx.account.email });
      });
      syncs.wake();
      return job;
    },

    ...createJobActions({ syncs, jobStarter, visibleRow, sourceNamed }),
  };
}
