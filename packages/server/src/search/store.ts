/** Reads from the database what a search needs, with one statement for each question. */
import { sql } from 'kysely';
import { type ChunkOfCollection, ofChunks, ofEach } from '../db/each-collection.ts';
import type { Db } from '../db/schema.ts';
import type { Breadcrumb } from '../model/entity.ts';

export interface SearchedCollections {
  readonly organizationId: string;
  /** The list has no id twice. */
  readonly collectionIds: readonly string[];
}

export const liveConnections = (db: Db, searched: SearchedCollections) =>
  selectLive(db, searched).orderBy('id').execute();

const selectLive = (db: Db, { organizationId, collectionIds }: SearchedCollections) =>
  db
    .selectFrom('connections')
    .select(['id', 'short_name', 'collection_id'])
    .where('organization_id', '=', organizationId)
    .where(among('collection_id', collectionIds))
    .where('deleted_at', 'is', null);

/** SQL does not allow an empty list in parentheses. */
const among = (column: string, ids: readonly string[]) =>
  ids.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${sql.ref(column)} in (${sql.join(ids)})`;

/** Returns how many chunks the collections have together, regardless of who may see them. */
export async function chunkCount(db: Db, collectionIds: readonly string[]): Promise<number> {
  const rows = await ofEach(db, collectionIds, (reader, id) =>
    reader.selectFrom('indexes').select('chunks').where('collection_id', '=', id).execute(),
  );
  return rows.reduce((sum, { chunks }) => sum + chunks, 0);
}

/** A head says who may see a chunk, and has what the ranking needs to order it. */
export interface ChunkHead extends ChunkOfCollection {
  readonly position: number;
  readonly heading: string | null;
  readonly entity_id: string;
  readonly name: string;
  readonly url: string | null;
  readonly source_updated_at: number | null;
  readonly viewers: string[] | null;
  readonly is_public: boolean;
  readonly connection_id: string;
  readonly short_name: string;
}

/** The body of a chunk is compared with the query. */
export interface ChunkBody {
  readonly scale: number;
  readonly vector: Uint8Array;
  /** These are the bytes of `termNumbers`; where they are missing, the terms are made from the text. */
  readonly terms?: Uint8Array | null;
  /** This tells whether the terms begin with those of the name. It is missing in rows that no index holds. */
  readonly is_titled?: boolean;
  readonly text: string | null;
}

export interface ChunkRow extends ChunkHead, ChunkBody {
  readonly text: string;
  readonly page: number | null;
  readonly place: string | null;
  readonly line: number | null;
  readonly entity_type: string;
  readonly breadcrumbs: Breadcrumb[];
  readonly source_created_at: number | null;
  readonly metadata: Record<string, unknown>;
  /** The connection is true as of this time, in milliseconds since 1970; null for a record that was found live. */
  readonly true_as_of: number | null;
  readonly sync_id: string;
  /** The id is null for a record that was found live. */
  readonly sync_job_id: string | null;
}

/** Returns those of the chunks that exist, belong to the collections, and whose connection is not deleted. */
export async function chunks(
  db: Db,
  searched: SearchedCollections,
  asked: readonly ChunkOfCollection[],
): Promise<ChunkRow[]> {
  const rows = await ofChunks(db, asked, chunkRows);
  // The connection is compared here, because as a condition it would make SQLite begin with the connection and
  // read all its entities.
  return rows.filter(
    (row) =>
      row.organization_id === searched.organizationId &&
      searched.collectionIds.includes(row.collection_id) &&
      row.deleted_at === null,
  );
}

/**
 * Returns the heads of the chunks that `chunks` would return. Each connection is read once, because in a join hundreds
 * of rows would repeat the same connection.
 */
export async function heads(
  db: Db,
  searched: SearchedCollections,
  asked: readonly ChunkOfCollection[],
): Promise<{ readonly head: ChunkHead; readonly textHash: string }[]> {
  const rows = await ofChunks(db, asked, headRows);
  const ids = [...new Set(rows.map((row) => row.connection_id))];
  const connections =
    ids.length === 0 ? [] : await selectLive(db, searched).where('id', 'in', ids).execute();
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  return rows.flatMap((row) => {
    const connection = byId.get(row.connection_id);
    return connection ? [{ head: headOf(row, connection), textHash: row.text_hash }] : [];
  });
}

type HeadRow = Awaited<ReturnType<typeof headRows>>[number];
type LiveConnection = Awaited<ReturnType<typeof liveConnections>>[number];

/** The fields are written out, because heads stay in the cache, and a copy of the row would take twice the memory. */
const headOf = (row: HeadRow, connection: LiveConnection): ChunkHead => ({
  n: row.n,
  collection_id: connection.collection_id,
  position: row.position,
  heading: row.heading,
  entity_id: row.entity_id,
  name: row.name,
  url: row.url,
  source_updated_at: row.source_updated_at,
  viewers: row.viewers,
  is_public: row.is_public,
  connection_id: connection.id,
  short_name: connection.short_name,
});

/** Returns the bodies that exist; `text` is null except in rows of an older version, which have no terms. */
export const bodies = (
  db: Db,
  asked: readonly ChunkOfCollection[],
): Promise<(ChunkBody & { readonly n: number })[]> =>
  ofChunks(db, asked, (reader, collectionId, numbers) =>
    reader
      .selectFrom('chunk_bodies')
      .select((eb) => [
        'n',
        'scale',
        'vector',
        'terms',
        'is_titled',
        eb.case().when('terms', 'is', null).then(eb.ref('text')).else(null).end().as('text'),
      ])
      .where('collection_id', '=', collectionId)
      .where('n', 'in', numbers)
      .execute(),
  );

interface ChunkSpan {
  readonly collectionId: string;
  readonly connectionId: string;
  readonly entityId: string;
  /** This is the first position. */
  readonly from: number;
  /** This is the last position. */
  readonly to: number;
}

/** Returns the chunks at these positions of a record. */
export const chunksOfEntity = (
  db: Db,
  { collectionId, connectionId, entityId, from, to }: ChunkSpan,
): Promise<ChunkOfCollection[]> =>
  db
    .selectFrom('entities')
    .innerJoin('chunks', 'chunks.entity', 'entities.id')
    .select(['chunks.n', 'chunks.collection_id'])
    .where('entities.collection_id', '=', collectionId)
    .where('chunks.collection_id', '=', collectionId)
    .where('entities.connection_id', '=', connectionId)
    .where('entities.entity_id', '=', entityId)
    .where('chunks.position', '>=', from)
    .where('chunks.position', '<=', to)
    .execute();

/** A chunk that is written again gets another number, but keeps its place in its record. */
export type ChunkPlace = Pick<
  ChunkHead,
  'collection_id' | 'connection_id' | 'entity_id' | 'position'
>;

/** Returns the chunks at these places. It may return more, because each field is compared by itself. */
export function chunksAt(db: Db, places: readonly ChunkPlace[]): Promise<ChunkOfCollection[]> {
  const byCollection = Map.groupBy(places, ({ collection_id }) => collection_id);
  return ofEach(db, [...byCollection.keys()], (reader, id) => {
    const own = byCollection.get(id) ?? [];
    const all = <Name extends keyof ChunkPlace>(name: Name) => [
      ...new Set(own.map((place) => place[name])),
    ];
    return reader
      .selectFrom('entities')
      .innerJoin('chunks', 'chunks.entity', 'entities.id')
      .select(['chunks.n', 'chunks.collection_id'])
      .where('entities.collection_id', '=', id)
      .where('chunks.collection_id', '=', id)
      .where('entities.connection_id', 'in', all('connection_id'))
      .where('entities.entity_id', 'in', all('entity_id'))
      .where('chunks.position', 'in', all('position'))
      .execute();
  });
}

const HEAD = [
  'chunks.n',
  'chunks.position',
  'chunks.heading',
  'entities.entity_id',
  'entities.name',
  'entities.url',
  'entities.source_updated_at',
  'entities.viewers',
  'entities.is_public',
  'entities.connection_id',
] as const;

const rowsOf = (db: Db, collectionId: string, numbers: readonly number[]) =>
  db
    .selectFrom('chunks')
    .innerJoin('entities', 'entities.id', 'chunks.entity')
    .where('chunks.collection_id', '=', collectionId)
    .where('entities.collection_id', '=', collectionId)
    .where('chunks.n', 'in', numbers)
    .select(HEAD);

const headRows = (db: Db, collectionId: string, numbers: readonly number[]) =>
  rowsOf(db, collectionId, numbers).select('chunks.text_hash').execute();

const chunkRows = (db: Db, collectionId: string, numbers: readonly number[]) =>
  rowsOf(db, collectionId, numbers)
    .innerJoin('chunk_bodies', 'chunk_bodies.n', 'chunks.n')
    .where('chunk_bodies.collection_id', '=', collectionId)
    .innerJoin('connections', 'connections.id', 'entities.connection_id')
    .select([
      'chunks.page',
      'chunks.place',
      'chunks.line',
      'chunk_bodies.text',
      'chunk_bodies.scale',
      'chunk_bodies.vector',
      'entities.entity_type',
      'entities.breadcrumbs',
      'entities.source_created_at',
      'entities.metadata',
      'entities.sync_id',
      'entities.sync_job_id',
      'connections.short_name',
      'connections.organization_id',
      'connections.collection_id',
      'connections.true_as_of',
      'connections.deleted_at',
    ])
    .execute();
