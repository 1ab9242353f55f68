/** This service implements what a caller may do with a source connection. */
import { act, type Caller, holdCaller, record } from '../audit/act.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { Tx } from '../db/schema.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { emit } from '../events/store.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { SentPush } from '../model/pushed.ts';
import { reachOf } from '../model/reach.ts';
import { openCredentials } from '../secrets.ts';
import type { CompletedSignIn } from '../sign-in/browser/flow.ts';
import { isOAuth, needsSignIn } from '../sign-in/needed.ts';
import type { RegisteredClient } from '../sign-in/renewal.ts';
import { type Source, syncMode } from '../sources/define.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import type { PushedConnection } from '../syncs/service.ts';
import { must } from '../util.ts';
import { createConnection } from './create.ts';
import type { ConnectionDeps } from './deps.ts';
import { createJobActions } from './jobs.ts';
import { listOptions } from './options.ts';
import { removeConnection } from './remove.ts';
import type {
  NewSourceConnection,
  OptionsInput,
  ShownOption,
  SourceConnection,
  SourceConnectionPatch,
} from './schema.ts';
import { requireClient } from './sign-in.ts';
import { createJobStarter } from './start.ts';
import * as store from './store.ts';
import { updateConnection } from './update.ts';
import { connectionEvent, toSourceConnection } from './view.ts';

export type Connections = ReturnType<typeof createConnections>;

export interface PushRequest {
  readonly sent: SentPush;
  /** This is null when the caller gave no Idempotency-Key. */
  readonly key: string | null;
}

export function createConnections(deps: ConnectionDeps) {
  const { db, sources, syncs, vault } = deps;
  const jobStarter = createJobStarter(deps);

  async function visibleRow(ctx: Ctx, id: string): Promise<store.ConnectionRow> {
    const row = await store.find(db, reachOf(ctx), id);
    if (!row) throw notFound('source connection', id);
    return row;
  }

  async function show(ctx: Ctx, rows: readonly store.ConnectionRow[]): Promise<SourceConnection[]> {
    const ids = rows.map(({ id }) => id);
    const [lastJobs, lastFullJobs, heldBack, busy, counts] = await Promise.all([
      syncs.newest(ctx, ids),
      syncs.newestCompletedFull(ids),
      syncs.newestHeldBack(ids),
      syncs.busy(ids),
      store.counts(db, ids),
    ]);
    return rows.map((row) =>
      toSourceConnection(row, {
        lastJob: lastJobs.get(row.id),
        lastFullJob: lastFullJobs.get(row.id),
        heldBack: heldBack.get(row.id),
        isBusy: busy.has(row.id),
        counts: counts.get(row.id) ?? [],
        source: sources.get(row.short_name),
      }),
    );
  }

  const showOne = async (ctx: Ctx, row: store.ConnectionRow) => must((await show(ctx, [row]))[0]);

  /** Returns the source of an existing connection. Throws a 409 when the operator has switched it off. */
  function sourceOf({ short_name }: Pick<store.ConnectionRow, 'short_name'>): Source {
    const source = sources.get(short_name);
    if (source) return source;
    throw new AppError(409, `the operator has switched the source '${short_name}' off`, {
      code: 'source_inactive',
    });
  }

  const get = async (ctx: Ctx, id: string): Promise<SourceConnection> =>
    showOne(ctx, await visibleRow(ctx, id));

  return {
    async create(ctx: Ctx, input: NewSourceConnection): Promise<SourceConnection> {
      const { id, authUrl } = await createConnection(deps, ctx, input);
      return withLink(await get(ctx, id), authUrl);
    },

    async list(
      ctx: Ctx,
      query: Page & { collection?: string | undefined; search?: string | undefined },
    ): Promise<Listed<SourceConnection>> {
      const collection =
        query.collection === undefined
          ? undefined
          : await deps.collections.resolve(ctx, query.collection);
      const { skip, limit, search } = query;
      const page = { skip, limit, search, collectionId: collection?.id };
      const { total, rows } = await store.list(db, reachOf(ctx), page);
      return { total, rows: await show(ctx, rows) };
    },

    get,

    async update(ctx: Ctx, id: string, patch: SourceConnectionPatch): Promise<SourceConnection> {
      const row = await visibleRow(ctx, id);
      await updateConnection(deps, ctx, { row, source: sourceOf(row), patch });
      return get(ctx, id);
    },

    /** Makes a new link with which a person signs in, whether or not somebody has signed in before. */
    async reinitiateOAuth(ctx: Ctx, id: string): Promise<SourceConnection> {
      const row = await visibleRow(ctx, id);
      if (!isOAuth(row.auth_method))
        throw invalid(
          `only a connection that signs in by OAuth has a link, and this one signs in by ${row.auth_method}`,
          { loc: ['path', 'id'], code: 'not_oauth' },
        );
      const own = openCredentials(vault, row) as RegisteredClient | null;
      requireClient(sourceOf(row), own, { config: row.config, loc: ['body'] });
      const authUrl = await act(db, ctx, async (tx, on) => {
        if (!(await store.lock(tx, id))) throw notFound('source connection', id);
        on({ id, name: row.name });
        return deps.links.renew(tx, { connectionId: id, email: ctx.account.email });
      });
      return withLink(await get(ctx, id), authUrl);
    },

    options: (ctx: Ctx, shortName: string, input: OptionsInput): Promise<ShownOption[]> =>
      listOptions(deps, ctx, { shortName, input }),

    /** Completes a sign-in in a browser: the event, and the first sync unless the caller forbade it. */
    async signedIn(
      tx: Tx,
      { connectionId, startsSync, email, cause }: CompletedSignIn,
    ): Promise<void> {
      const row = must(await store.findSignedIn(tx, connectionId));
      await emit(tx, { ...connectionEvent('source_connection.auth_completed', row), cause });
      // A person without an account may open the link, so the log names the account that made it.
      await record(tx, [row.organization_id], {
        action: 'source_connection.signed_in',
        actor: { type: 'user', id: null, name: null, email },
        address: null,
        target: { id: connectionId, name: row.name },
      });
      const isPulled = sources.get(row.short_name)?.pull !== undefined;
      if (startsSync && isPulled && !(await syncs.isBusy(tx, connectionId)))
        await syncs.start(tx, row, { trigger: 'creation', email, cause });
    },

    /** Deletes the connection and returns it as it was. */
    async remove(ctx: Ctx, id: string): Promise<SourceConnection> {
      const row = await visibleRow(ctx, id);
      const asItWas = await showOne(ctx, row);
      await removeConnection({ db, syncs }, ctx, row);
      syncs.wake();
      return asItWas;
    },

    async run(ctx: Ctx, id: string, force: boolean): Promise<SourceConnectionJob> {
      const row = await visibleRow(ctx, id);
      const source = sourceOf(row);
      const options = { trigger: 'manual', force, email: ctx.account.email } as const;
      return jobStarter.pull(ctx, { row, source }, options);
    },

    /** Transforms the stored entities again, without asking the source. */
    async reprocess(ctx: Ctx, id: string): Promise<SourceConnectionJob> {
      const row = await visibleRow(ctx, id);
      return jobStarter.reprocess(ctx, { row, source: sourceOf(row) });
    },

    /** Starts a sync of each connection of the collection that can be pulled and has no unfinished job. */
    async refreshAll(ctx: Ctx, readableId: string): Promise<SourceConnectionJob[]> {
      const collection = await deps.collections.resolve(ctx, readableId);
      const jobs = await db.transaction().execute(async (tx) => {
        await holdCaller(tx, ctx);
        // A deletion of the collection locks the connections in another order. Both take this lock first, so they
        // cannot deadlock.
        if (!(await store.lockCollection(tx, collection.id)))
          throw notFound('collection', readableId);
        const started: SourceConnectionJob[] = [];
        for (const row of await store.idle(tx, collection.id)) {
          if (!sources.get(row.short_name)?.pull || needsSignIn(row)) continue;
          // Another request may have started a sync of this connection or deleted the connection.
          if (!(await store.lock(tx, row.id)) || (await syncs.isBusy(tx, row.id))) continue;
          const { email } = ctx.account;
          started.push(
            await syncs.start(tx, row, { trigger: 'manual', email, cause: causeOf(ctx) }),
          );
        }
        return started;
      });
      syncs.wake();
      return jobs;
    },

    /** Returns the connection, if it takes pushes. */
    async pushedConnection(ctx: Ctx, id: string): Promise<PushedConnection> {
      const row = await visibleRow(ctx, id);
      const mode = syncMode(sourceOf(row));
      if (mode !== 'push')
        throw invalid(
          `a ${row.short_name} connection ${mode === 'pull' ? 'pulls by itself' : 'is searched live'}; only push connections take entities`,
          { loc: ['path', 'id'], code: 'not_pushable' },
        );
      const { sync_id, organization_id, collection_id } = row;
      return { id, sync_id, organization_id, collection_id };
    },

    /**
     * Stores the push with its job. The worker applies pushes in the order in which they arrived. Returns the earlier job
     * of a push that has the same key and body. Throws a 422 when the key came with another body.
     */
    async push(
      ctx: Ctx,
      connection: PushedConnection,
      { sent, key }: PushRequest,
    ): Promise<SourceConnectionJob> {
      const { session, key: proof, account, organization, role } = ctx;
      const caller: Caller = {
        ...(session !== undefined && { session }),
        ...(proof !== undefined && { key: proof }),
        ...{ account, role, organization: { id: organization.id } },
      };
      const job = await deps.storePush({ sent, key, connection, caller, cause: causeOf(ctx) });
      syncs.wake();
      return job;
    },

    ...createJobActions({ syncs, jobStarter, visibleRow, sourceOf }),
  };
}

const withLink = (shown: SourceConnection, authUrl: string | null): SourceConnection =>
  authUrl === null ? shown : { ...shown, auth: { ...shown.auth, auth_url: authUrl } };
