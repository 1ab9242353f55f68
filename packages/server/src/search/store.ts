/** Reads from the database what a search needs, with one statement for each question. */
import { sql } from 'kysely';
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
  const row = await db
    .selectFrom('indexes')
    .select((eb) => eb.fn.sum<number | null>('chunks').as('chunks'))
    .where(among('collection_id', collectionIds))
    .executeTakeFirst();
  return Number(row?.chunks ?? 0);
}

/** A head says who may see a chunk, and has what the ranking needs to order it. */
export interface ChunkHead {
  readonly n: number;
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
  readonly collection_id: string;
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
  numbers: readonly number[],
): Promise<ChunkRow[]> {
  const rows = await chunkRows(db, numbers);
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
  numbers: readonly number[],
): Promise<{ readonly head: ChunkHead; readonly textHash: string }[]> {
  const rows = await headRows(db, numbers);
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

/** The fields are written out, because heads stay in the cache, and a copy of the row would take twice the memory. */
const headOf = (row: HeadRow, connection: { id: string; short_name: string }): ChunkHead => ({
  n: row.n,
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
  numbers: readonly number[],
): Promise<(ChunkBody & { readonly n: number })[]> =>
  db
    .selectFrom('chunk_bodies')
    .select((eb) => [
      'n',
      'scale',
      'vector',
      'terms',
      'is_titled',
      eb.case().when('terms', 'is', null).then(eb.ref('text')).else(null).end().as('text'),
    ])
    .where('n', 'in', numbers)
    .execute();

interface ChunkSpan {
  readonly connectionId: string;
  readonly entityId: string;
  /** This is the first position. */
  readonly from: number;
  /** This is the last position. */
  readonly to: number;
}

/** Returns the numbers of the chunks at these positions of a record. */
export async function chunksOfEntity(
  db: Db,
  { connectionId, entityId, from, to }: ChunkSpan,
): Promise<number[]> {
  const rows = await db
    .selectFrom('entities')
    .innerJoin('chunks', 'chunks.entity', 'entities.id')
    .select('chunks.n')
    .where('entities.connection_id', '=', connectionId)
    .where('entities.entity_id', '=', entityId)
    .where('chunks.position', '>=', from)
    .where('chunks.position', '<=', to)
    .execute();
  return rows.map((row) => row.n);
}

/** A chunk that is written again gets another number, but keeps its place in its record. */
export type ChunkPlace = Pick<ChunkHead, 'connection_id' | 'entity_id' | 'position'>;

/** Returns the numbers of the chunks at these places. It may return more, because each field is compared by itself. */
export async function numbersAt(db: Db, places: readonly ChunkPlace[]): Promise<number[]> {
  if (places.length === 0) return [];
  const all = <Name extends keyof ChunkPlace>(name: Name) => [
    ...new Set(places.map((place) => place[name])),
  ];
  const rows = await db
    .selectFrom('entities')
    .innerJoin('chunks', 'chunks.entity', 'entities.id')
    .select('chunks.n')
    .where('entities.connection_id', 'in', all('connection_id'))
    .where('entities.entity_id', 'in', all('entity_id'))
    .where('chunks.position', 'in', all('position'))
    .execute();
  return rows.map((row) => row.n);
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

const rowsOf = (db: Db, numbers: readonly number[]) =>
  db
    .selectFrom('chunks')
    .innerJoin('entities', 'entities.id', 'chunks.entity')
    .where('chunks.n', 'in', numbers)
    .select(HEAD);

const headRows = (db: Db, numbers: readonly number[]) =>
  rowsOf(db, numbers).select('chunks.text_hash').execute();

const chunkRows = (db: Db, numbers: readonly number[]) =>
  rowsOf(db, numbers)
    .innerJoin('chunk_bodies', 'chunk_bodies.n', 'chunks.n')
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
