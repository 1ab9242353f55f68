import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import { createExactIndex } from '../../engines/index/exact.ts';
import { createPostgresIndex } from '../../engines/index/postgres.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import type { Llm } from '../../engines/llm/llm.ts';
import type { Embedder, Reranker, SearchIndex } from '../../engines/ports.ts';
import type { Access, Breadcrumb } from '../../model/entity.ts';
import { type ChunkCache, createChunkCache } from '../../search/chunk-cache.ts';
import type { Federated } from '../../search/federated/ask.ts';
import type { ModelCache } from '../../search/llm/model-cache.ts';
import { type SearchAnswer, SearchBody } from '../../search/schema.ts';
import { createSearch } from '../../search/service.ts';
import { makeChunks } from '../../syncs/pipeline/chunks.ts';
import { addToFields, fieldsOf } from '../../syncs/pipeline/field-store.ts';
import { newId } from '../../util.ts';
import { entityRow, insertCollection, insertConnection, insertOrganization } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { searchDeps } from './deps.ts';
import { PLAIN } from './plain.ts';

export interface Doc {
  readonly id: string;
  readonly text: string;
  readonly name?: string;
  readonly type?: string;
  readonly url?: string;
  readonly breadcrumbs?: readonly Breadcrumb[];
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly access?: Access;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface Connection {
  readonly id: string;
  readonly syncId: string;
  readonly jobId: string;
}

export type Library = ReturnType<typeof libraryOn>;

const embedder = createBuiltinEmbedder();
const never = new AbortController().signal;

const indexOf = {
  exact: ({ kind }: TestDatabase) => createExactIndex({ kind, dimensions: embedder.dimensions }),
  sqlite: () => createSqliteIndex({ dimensions: embedder.dimensions }),
  postgres: () => createPostgresIndex({ dimensions: embedder.dimensions }),
} as const;

/** Each database is combined with each index that it can have. `npm test` combines the exact index only with SQLite. */
export const ENGINES = DATABASES.flatMap((database) =>
  (['exact', database.name] as const)
    .filter((index) => index !== 'exact' || !isSmokeEnough(database))
    .map((index) => ({ name: `${database.name}, ${index} index`, database, index })),
);

export async function openLibrary({ database, index }: (typeof ENGINES)[number]) {
  const opened = await database.open();
  return libraryOn(opened, index, await insertOrganization(opened.db));
}

/** Opens a library in a database that other tests use too; closing the library closes the database. */
export function libraryOn(
  opened: TestDatabase,
  kind: keyof typeof indexOf,
  organizationId: string,
) {
  const { db } = opened;
  const index = indexOf[kind](opened);
  const chunks = createChunkCache();

  async function addCollection(organization = organizationId): Promise<string> {
    const id = newId();
    const model = { vector_size: embedder.dimensions, embedding_model_name: embedder.model };
    const names = { name: 'Library', folded_name: 'library' };
    await insertCollection(db, { id, organization_id: organization }, { ...names, ...model });
    await db.transaction().execute((tx) => index.create(tx, id));
    return id;
  }

  async function addConnection(
    collection: string,
    shortName = 'push',
    organization = organizationId,
  ): Promise<Connection> {
    const [syncId, jobId] = [newId(), newId()];
    const id = await insertConnection(
      db,
      { id: collection, organization_id: organization },
      { name: shortName, short_name: shortName, sync_id: syncId, authenticated_at: null },
    );
    return { id, syncId, jobId };
  }

  /** Adds new entities, and replaces the text of those whose id exists. */
  async function put(collection: string, connection: Connection, docs: readonly Doc[]) {
    const stored = await db
      .selectFrom('entities')
      .select(['id', 'entity_id'])
      .where('connection_id', '=', connection.id)
      .execute();
    const known = new Map(stored.map((row) => [row.entity_id, row.id]));
    const rows = docs.map((doc) => ({ doc, row: known.get(doc.id) ?? newId() }));
    const made = await makeChunks(
      rows.map(({ doc: { id, name = id, text }, row }) => {
        return { row, entity: { id, type: 'Note', name, text, fields: {} } };
      }),
      { embedder, knownVectors: async () => new Map(), signal: never },
    );
    const fresh = rows.filter(({ doc }) => !known.has(doc.id));
    await db.transaction().execute(async (tx) => {
      for (let i = 0; i < fresh.length; i += 100)
        await tx
          .insertInto('entities')
          .values(fresh.slice(i, i + 100).map(({ doc, row }) => toRow(doc, row)))
          .execute();
      const scope = { collectionId: collection, connectionId: connection.id };
      await index.write(
        tx,
        scope,
        rows.map(({ row }) => row),
        [...made.values()].flat(),
      );
    });

    function toRow(doc: Doc, id: string) {
      const owner = {
        organization_id: organizationId,
        collection_id: collection,
        connection_id: connection.id,
      };
      return entityRow(owner, {
        id,
        entity_id: doc.id,
        entity_type: doc.type ?? 'Note',
        definition_id: null,
        sync_id: connection.syncId,
        sync_job_id: connection.jobId,
        generation: 0,
        name: doc.name ?? doc.id,
        url: doc.url ?? null,
        breadcrumbs: JSON.stringify(doc.breadcrumbs ?? []),
        source_created_at: doc.createdAt ? Date.parse(doc.createdAt) : null,
        source_updated_at: doc.updatedAt ? Date.parse(doc.updatedAt) : null,
        viewers: doc.access?.viewers ? JSON.stringify(doc.access.viewers) : null,
        is_public: doc.access?.isPublic ?? false,
        metadata: JSON.stringify(doc.fields ?? {}),
      });
    }
  }

  async function search(
    collection: string | readonly string[],
    body: Record<string, unknown>,
    options: {
      principals?: readonly string[];
      organization?: string;
      index?: SearchIndex;
      llm?: Llm;
      reranker?: Reranker;
      kept?: ModelCache;
      embedder?: Embedder;
      chunks?: ChunkCache;
      federated?: Federated;
      signal?: AbortSignal;
    } = {},
  ): Promise<SearchAnswer> {
    return createSearch({
      ...searchDeps({
        db,
        index: options.index ?? index,
        embedder: options.embedder ?? embedder,
        chunks: options.chunks ?? chunks,
        llm: options.llm ?? null,
        reranker: options.reranker ?? null,
        ...(options.kept && { kept: options.kept }),
      }),
      ...(options.federated && { federated: options.federated }),
    }).search(
      {
        organizationId: options.organization ?? organizationId,
        collectionIds: [collection].flat(),
        principals: options.principals ?? null,
        body: SearchBody.parse(body),
      },
      options.signal ?? never,
    );
  }

  return {
    db,
    kind: opened.kind,
    index,
    embedder,
    organizationId,
    addOrganization: () => insertOrganization(db),
    addCollection,
    addConnection,
    put,
    /** Stores how many entities of each type the connection has, because `put` does not. */
    async countTypes(connection: Connection) {
      const counts = await db
        .selectFrom('entities')
        .select((eb) => ['entity_type', eb.fn.countAll<number>().as('count')])
        .where('connection_id', '=', connection.id)
        .groupBy('entity_type')
        .execute();
      const rows = counts.map(({ entity_type, count }) => ({
        ...{ connection_id: connection.id, entity_type },
        ...{ count: Number(count), listed: Number(count) },
      }));
      await db.insertInto('entity_counts').values(rows).execute();
    },
    /** Stores which fields the connection's entities have, because `put` does not. */
    async countFields(connection: Connection) {
      const rows = await db
        .selectFrom('entities')
        .select(['id', 'collection_id as collectionId'])
        .where('connection_id', '=', connection.id)
        .execute();
      const [first] = rows;
      if (!first) return;
      const { kind } = opened;
      const counts = await fieldsOf(
        db,
        { kind, collectionId: first.collectionId },
        rows.map(({ id }) => id),
      );
      await db.transaction().execute((tx) => addToFields(tx, connection.id, counts));
    },
    search,
    /** Returns the ids of the results, best first. Every option is off unless `body` says otherwise. */
    async find(
      collection: string | readonly string[],
      query: string,
      body: Record<string, unknown> = {},
      options: Parameters<typeof search>[2] = {},
    ): Promise<string[]> {
      const answer = await search(collection, { ...PLAIN, query, ...body }, options);
      return answer.results.map((result) => result.entity_id);
    },
    async close() {
      await opened.close();
    },
  };
}
