/**
 * This service reads the synced records of a collection without a search: an overview, a list, one record, the lines
 * that a regular expression matches. The same filters and access rules apply as in a search (search/access.ts); they
 * are checked for each row that is read.
 */
import type { Kysely } from 'kysely';
import type { Collections } from '../../collections/service.ts';
import { type Ctx, causeOf } from '../../context.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { visibleTo } from '../../db/visible.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { conflict, notFound } from '../../errors.ts';
import { isNameable } from '../../model/filter.ts';
import { type Asker, namesOf, seenConnections } from '../../search/access.ts';
import type { Vault } from '../../secrets.ts';
import { type Source, syncMode } from '../../sources/define.ts';
import { cursorsOf, MAX_POSITION } from './cursor.ts';
import type { Grep } from './grep.ts';
import { originOf, toItem } from './item.ts';
import { createLevel, placeOf } from './level.ts';
import { readRecordId, recordId } from './record-id.ts';
import type {
  CollectionContents,
  ContentDocument,
  ContentItem,
  GrepAnswer,
  GrepBody,
  ListAnswer,
  ListQuery,
  ReadQuery,
  TreeAnswer,
  TreeQuery,
} from './schema.ts';
import * as store from './store.ts';
import { type ContentsView, openContents } from './view.ts';
import { walk, wholeBatch } from './walk.ts';

/**
 * Some fields are only in restricted entities. To find them, at most this many of the entities that the person may see
 * are read in each connection.
 */
const SAMPLED_ENTITIES = 50;
/** An answer names at most this many fields. */
const MAX_FIELDS = 10_000;

export interface ContentsRequest {
  /** This is the readable_id of the collection. */
  readonly collection: string;
  /**
   * These are the principals of the person on whose behalf a key asks; null means that access control does not apply.
   */
  readonly principals: readonly string[] | null;
}

export type Contents = ReturnType<typeof createContents>;

export function createContents(deps: {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: Pick<SearchIndex, 'kinds'>;
  readonly vault: Vault;
  readonly collections: Pick<Collections, 'get' | 'resolve'>;
  readonly grep: Grep;
  readonly sources: ReadonlyMap<string, Source>;
}) {
  const { db, kind, collections, sources, vault } = deps;

  async function askerOf(ctx: Ctx, { collection, principals }: ContentsRequest): Promise<Asker> {
    const { id } = await collections.resolve(ctx, collection);
    return { organizationId: ctx.organization.id, collectionIds: [id], principals };
  }

  const open = async (ctx: Ctx, asked: ContentsRequest) =>
    openContents(db, await askerOf(ctx, asked));

  /**
   * Returns the fields of the sources, for people who write filters. A person gets the fields of entities that everyone
   * may see, and those of the latest restricted entities that this person may see. A filter may also name other fields.
   */
  async function fieldsOf(view: ContentsView): Promise<string[]> {
    const isPerson = view.principals !== null;
    const all = await store.fields(db, view.live, { onlyOpen: isPerson, limit: MAX_FIELDS });
    // A federated source is searched with the rights of its own account, so it is never searched on behalf of a person.
    const declared = isPerson
      ? []
      : view.connections.flatMap(({ short_name }) => liveFields(sources.get(short_name)));
    const restricted = isPerson ? await restrictedFieldsOf(view) : [];
    return sorted([...all, ...declared, ...restricted]).slice(0, MAX_FIELDS);
  }

  /**
   * The stored counts do not say who may see a field, so entities are read. Only a few are read, because reading is
   * slow.
   */
  async function restrictedFieldsOf(view: ContentsView): Promise<string[]> {
    const visible = visibleTo(kind, view.principals, 'entities');
    const seen = await view.look(async (tx, canSee) => {
      const connections = await store.withRestrictedFields(tx, view.live);
      const { collectionId } = view;
      const found = await store.restricted(
        tx,
        { collectionId, connections },
        { visible, each: SAMPLED_ENTITIES },
      );
      return found.filter(canSee);
    });
    return seen.flatMap(({ metadata }) => Object.keys(metadata)).filter(isNameable);
  }

  /** A person gets the connections of which this person may see a record, without counts. */
  async function connectionsOf(
    view: ContentsView,
  ): Promise<CollectionContents['source_connections']> {
    const isPerson = view.principals !== null;
    const seen = isPerson ? await seenConnections(deps.index, db, view) : new Set(view.live);
    const rows = await store.connectionCounts(db, [...seen]);
    return rows.map(({ id, name, short_name, count }) => ({
      ...{ id, name, source_name: short_name },
      records: isPerson ? null : count,
    }));
  }

  return {
    async about(ctx: Ctx, asked: ContentsRequest): Promise<CollectionContents> {
      const { readable_id, name, status } = await collections.get(ctx, asked.collection);
      const view = await open(ctx, asked);
      const { sources: source_names, types } = await namesOf(deps.index, db, view);
      // A person gets no counts, because counts would reveal entities that this person may not see.
      const counts = view.principals === null ? await store.typeCounts(db, view.live) : undefined;
      const fields = await fieldsOf(view);
      return {
        readable_id,
        name,
        status,
        source_names: [...source_names],
        source_connections: await connectionsOf(view),
        entity_types: counts ?? types.map((entity_type) => ({ entity_type, count: null })),
        metadata_fields: fields.map((field) => `metadata.${field}`),
      };
    },

    async list(ctx: Ctx, asked: ContentsRequest, query: ListQuery): Promise<ListAnswer> {
      const asker = await askerOf(ctx, asked);
      const cursors = cursorsOf(vault, asker.collectionIds);
      const from = cursors.read(query.after, 'query');
      const view = await openContents(db, asker);
      const wanted = query.name?.toLowerCase() ?? '';
      const items: ContentItem[] = [];
      const next = await walk(
        {
          connections: view.idsOf({
            source: query.source_name,
            connection: query.source_connection_id,
          }),
          from,
          read: (batch) =>
            view.look(async (tx, canSee) => {
              const { collectionId } = view;
              const rows = await store.entities(tx, { ...batch, collectionId }, query.entity_type);
              return wholeBatch(
                rows.map((row) => ({ ...row, isSeen: canSee(row) })),
                batch,
              );
            }),
          visit(row) {
            const isWanted =
              row.isSeen &&
              row.name.toLowerCase().includes(wanted) &&
              (query.below === undefined || placeOf(row.breadcrumbs, query.below) !== undefined);
            if (isWanted) items.push(toItem(row));
            return items.length === query.limit;
          },
        },
        ctx.signal,
      );
      return { items, next: next && cursors.write(next) };
    },

    /** Returns what is directly below a breadcrumb, or at the root of a connection. */
    async tree(ctx: Ctx, asked: ContentsRequest, query: TreeQuery): Promise<TreeAnswer> {
      const asker = await askerOf(ctx, asked);
      const cursors = cursorsOf(vault, asker.collectionIds);
      const from = cursors.read(query.after, 'query');
      const view = await openContents(db, asker);
      const connections = view.idsOf({ connection: query.source_connection_id });
      if (connections.length === 0) throw notFound('source connection', query.source_connection_id);
      const level = createLevel(query.below);
      const next = await walk(
        {
          connections,
          from,
          read: (batch) =>
            view.look(async (tx, canSee) => {
              const { collectionId } = view;
              const rows = await store.entities(tx, { ...batch, collectionId }, undefined);
              return wholeBatch(
                rows.map((row) => ({ ...row, isSeen: canSee(row) })),
                batch,
              );
            }),
          visit(row) {
            if (row.isSeen) level.add(row);
            return level.size() === query.limit;
          },
        },
        ctx.signal,
      );
      return { ...level.found(), next: next && cursors.write(next) };
    },

    async read(
      ctx: Ctx,
      asked: ContentsRequest,
      { id, from, limit }: ReadQuery,
    ): Promise<ContentDocument> {
      const view = await open(ctx, asked);
      const { connection, entityIds } = readRecordId(id);
      const live = view.live.filter((one) => connection === null || one === connection);
      return view.look(async (tx, canSee) => {
        const { collectionId } = view;
        const rows =
          live.length === 0 ? [] : await store.entitiesNamed(tx, { collectionId, live }, entityIds);
        const seen = rows.filter(canSee);
        const meant = entityIds.map((entityId) => seen.filter((row) => row.entity_id === entityId));
        const [row, another] = meant.find((found) => found.length > 0) ?? [];
        if (!row) throw notFound('record', id);
        if (another)
          throw conflict(
            `several records have the entity_id '${row.entity_id}': ask for ${recordId(row.connection_id, row.entity_id)} or ${recordId(another.connection_id, another.entity_id)}`,
          );
        const first = Math.min(from, MAX_POSITION);
        const { total, chunks } = await store.chunksOf(
          tx,
          { collectionId, entity: row.id },
          { from: first, limit },
        );
        return {
          ...toItem(row),
          ...originOf(row),
          ...{ metadata: row.metadata, total_chunks: total, chunks },
        };
      });
    },

    async grep(ctx: Ctx, asked: ContentsRequest, body: GrepBody): Promise<GrepAnswer> {
      return deps.grep({ ...(await askerOf(ctx, asked)), cause: causeOf(ctx), body }, ctx.signal);
    },
  };
}

/** Nothing of a federated source is stored, so its fields are those that it declares. */
const liveFields = (source: Source | undefined): string[] =>
  source && syncMode(source) === 'federated'
    ? Object.values(source.entities).flatMap(({ shape }) => Object.keys(shape))
    : [];

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted();
