/** This file has the queries that examine a collection, a page at a time. */
import { sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import type { ConnectionScope, Totals } from '../engines/ports.ts';

const ENTITIES_PER_PAGE = 500;
const EXAMINED_COLUMNS = [
  'id',
  'entity_id',
  'entity_type',
  'is_listed',
  'is_hidden',
  'is_searchable',
  'is_damaged',
] as const;

export async function livingConnections(db: Db, collectionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('connections')
    .select('id')
    .where('collection_id', '=', collectionId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Counts deleted connections whose rows have not been removed yet, and their entities. */
export async function waitingForCleanup(db: Db, collectionId: string) {
  const row = await db
    .selectFrom('connections as c')
    .leftJoin('entity_counts as k', 'k.connection_id', 'c.id')
    .select((eb) => [
      eb.fn.count<number>('c.id').distinct().as('connections'),
      eb.fn.coalesce(eb.fn.sum<number>('k.count'), sql.lit(0)).as('entities'),
    ])
    .where('c.collection_id', '=', collectionId)
    .where('c.deleted_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return { connections: Number(row.connections), entities: Number(row.entities) };
}

/** Reads the totals that the index has stored. They are undefined for a collection without an index. */
export const storedTotals = (db: Db, collectionId: string): Promise<Totals | undefined> =>
  db
    .selectFrom('indexes')
    .select(['chunks', 'terms'])
    .where('collection_id', '=', collectionId)
    .executeTakeFirst();

/**
 * Reads entities of a connection in the order of their ids at the source. Each has the number of its chunks and the
 * position of the last one.
 */
export async function entityPage(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  after: string | null,
) {
  const ofPage = EXAMINED_COLUMNS.map((name) => `e.${name}` as const);
  const rows = await db
    .selectFrom((eb) => {
      const page = eb
        .selectFrom('entities')
        .select(EXAMINED_COLUMNS)
        .where('collection_id', '=', collectionId)
        .where('connection_id', '=', connectionId)
        .orderBy('entity_id')
        .limit(ENTITIES_PER_PAGE);
      return (after === null ? page : page.where('entity_id', '>', after)).as('e');
    })
    .leftJoin('chunks as c', (join) =>
      join.onRef('c.entity', '=', 'e.id').on('c.collection_id', '=', collectionId),
    )
    .select(ofPage)
    .select((eb) => [eb.fn.count<number>('c.n').as('chunks'), eb.fn.max('c.position').as('last')])
    .groupBy(ofPage)
    .orderBy('e.entity_id')
    .execute();
  return {
    rows: rows.map((row) => ({ ...row, chunks: Number(row.chunks) })),
    next: rows.length < ENTITIES_PER_PAGE ? null : (rows.at(-1)?.entity_id ?? null),
  };
}

/** Reads the stored counters of a connection. */
export const storedCounts = (db: Db, connectionId: string) =>
  db
    .selectFrom('entity_counts')
    .select(['entity_type as type', 'count', 'listed'])
    .where('connection_id', '=', connectionId)
    .execute();
