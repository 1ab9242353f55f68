/** This service implements what a caller may do with a collection, and the rules for it. */
import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { act, changedFields } from '../audit/act.ts';
import { type Ctx, causeOf } from '../context.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema, Tx } from '../db/schema.ts';
import type { Embedder, SearchIndex } from '../engines/ports.ts';
import { conflict, notFound } from '../errors.ts';
import { emit } from '../events/store.ts';
import type { Listed, Page } from '../http/lists.ts';
import { enqueue } from '../jobs/queue.ts';
import { reachOf } from '../model/reach.ts';
import { generateReadableId } from '../model/readable-id.ts';
import { type Source, syncMode } from '../sources/define.ts';
import type { Syncs } from '../syncs/service.ts';
import { must, newId } from '../util.ts';
import type { Collection, CollectionPatch, NewCollection } from './schema.ts';
import * as store from './store.ts';
import { type CollectionSummary, summaries } from './summary-store.ts';
import { collectionEvent, toCollection } from './view.ts';

export interface CollectionDeps {
  readonly db: Kysely<Schema>;
  readonly embedder: Pick<Embedder, 'model' | 'dimensions'>;
  readonly index: Pick<SearchIndex, 'create'>;
  readonly syncs: Pick<Syncs, 'endAll'>;
  readonly sources: ReadonlyMap<string, Source>;
}

const NO_CONNECTIONS: CollectionSummary = { sources: new Map(), counts: [] };

export type Collections = ReturnType<typeof createCollections>;

export function createCollections({ db, embedder, index, syncs, sources }: CollectionDeps) {
  const federated = [...sources.values()]
    .filter((source) => syncMode(source) === 'federated')
    .map((source) => source.shortName);

  async function rowOf(ctx: Ctx, readableId: string): Promise<store.CollectionWithFacts> {
    const row = await store.findWithFacts(db, reachOf(ctx), { federated, readableId });
    if (!row) throw notFound('collection', readableId);
    return row;
  }

  async function show(rows: readonly store.CollectionWithFacts[]): Promise<Collection[]> {
    const ids = rows.map(({ id }) => id);
    const found = await summaries(db, ids);
    return rows.map((row) => toCollection(row, found.get(row.id) ?? NO_CONNECTIONS, federated));
  }

  const showOne = async (row: store.CollectionWithFacts) => must((await show([row]))[0]);

  const get = async (ctx: Ctx, readableId: string): Promise<Collection> =>
    showOne(await rowOf(ctx, readableId));

  /** Returns the row of the collection, for other features. Throws a 404 when the caller cannot reach it. */
  async function resolve(ctx: Ctx, readableId: string): Promise<store.CollectionRow> {
    const row = await store.find(db, reachOf(ctx), readableId);
    if (!row) throw notFound('collection', readableId);
    return row;
  }

  /**
   * Returns the rows of the collections, for other features. Without names, it returns the newest that the caller can
   * reach, at most `limit`, and says how many there are. Throws a 404 for a name that the caller cannot reach.
   */
  async function resolveAll(
    ctx: Ctx,
    names: readonly string[] | undefined,
    limit: number,
  ): Promise<Listed<store.CollectionRow>> {
    if (names === undefined) return store.newest(db, reachOf(ctx), limit);
    const rows = await store.findAll(db, reachOf(ctx), names);
    const known = new Set(rows.map((row) => row.readable_id));
    const missing = names.find((name) => !known.has(name));
    if (missing !== undefined) throw notFound('collection', missing);
    return { rows, total: rows.length };
  }

  return {
    /** Makes an empty collection. Throws a 409 when the readable_id is taken; it does not choose another one. */
    async create(ctx: Ctx, input: NewCollection): Promise<Collection> {
      const readableId = input.readable_id ?? generateReadableId(input.name, 'collection');
      const id = newId();
      const now = Date.now();
      await act(db, ctx, async (tx, on) => {
        if (!(await lockOrganization(tx, ctx.organization.id)))
          throw notFound('organization', ctx.organization.id);
        const made = await store.insert(tx, {
          id,
          organization_id: ctx.organization.id,
          readable_id: readableId,
          name: input.name,
          sync_config: input.sync_config ? JSON.stringify(input.sync_config) : null,
          vector_size: embedder.dimensions,
          embedding_model_name: embedder.model,
          created_at: now,
          modified_at: now,
          created_by_email: ctx.account.email,
          modified_by_email: ctx.account.email,
        });
        if (!made)
          throw conflict(`collection '${readableId}' already exists; choose another readable_id`);
        await index.create(tx, id);
        await emit(tx, { ...collectionEvent('collection.created', made), cause: causeOf(ctx) });
        on({ id, name: readableId });
      });
      return get(ctx, readableId);
    },

    async list(
      ctx: Ctx,
      query: Page & { search?: string | undefined },
    ): Promise<Listed<Collection>> {
      const { skip, limit, search } = query;
      const page = { skip, limit, search };
      const { total, rows } = await store.list(db, reachOf(ctx), { federated, ...page });
      return { total, rows: await show(rows) };
    },

    /** Returns the names of the collections that the caller can reach, in the order of their readable_ids. */
    names: (ctx: Ctx) => store.names(db, reachOf(ctx)),

    count: (ctx: Ctx): Promise<number> => store.count(db, reachOf(ctx)),

    get,
    resolve,
    resolveAll,

    /** Changes only the fields that the patch contains. */
    async update(ctx: Ctx, readableId: string, patch: CollectionPatch): Promise<Collection> {
      const { id } = await resolve(ctx, readableId);
      await act(db, ctx, async (tx, on) => {
        const before = await store.lock(tx, id);
        if (!before) throw notFound('collection', readableId);
        const now = await store.update(tx, id, {
          ...(patch.name !== undefined && { name: patch.name }),
          ...(patch.sync_config !== undefined && {
            sync_config: patch.sync_config && JSON.stringify(patch.sync_config),
          }),
          modified_by_email: ctx.account.email,
        });
        const isChanged =
          now.name !== before.name || !isDeepStrictEqual(now.sync_config, before.sync_config);
        if (!isChanged) return;
        await emit(tx, { ...collectionEvent('collection.updated', now), cause: causeOf(ctx) });
        on({ id, name: readableId, details: changedFields(patch) });
      });
      return get(ctx, readableId);
    },

    /**
     * After the commit, nothing in the collection can be reached. A background job removes the rows.
     */
    async remove(ctx: Ctx, readableId: string): Promise<Collection> {
      const row = await rowOf(ctx, readableId);
      const asItWas = await showOne(row);
      await act(db, ctx, async (tx, on) => {
        const deleted = await store.markDeleted(tx, row.id);
        if (!deleted) throw notFound('collection', readableId);
        await store.markConnectionsDeleted(tx, { collectionId: row.id });
        await syncs.endAll(tx, { collectionId: row.id }, ctx.account.email);
        await emit(tx, { ...collectionEvent('collection.deleted', deleted), cause: causeOf(ctx) });
        await enqueue(tx, 'collection.cleanup', {
          data: { collectionId: row.id },
          lane: row.id,
          cause: causeOf(ctx),
        });
        on({ id: row.id, name: readableId });
      });
      return asItWas;
    },

    /**
     * Deletes all collections of an organization, in the transaction that deletes the organization. It emits no events.
     * The cleanup of the organization removes the rows.
     */
    async removeAll(tx: Tx, organizationId: string, email: string): Promise<void> {
      await store.markAllDeleted(tx, organizationId);
      await store.markConnectionsDeleted(tx, { organizationId });
      await syncs.endAll(tx, { organizationId }, email);
    },
  };
}
