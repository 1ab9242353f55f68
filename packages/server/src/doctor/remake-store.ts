/** This file has the queries that make chunks again: pages of stored records, and what a commit writes. */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/schema.ts';
import type { RecordSize } from '../syncs/pipeline/pages.ts';
import { chunked } from '../util.ts';

const ENTITIES = 200;
const IDS = 500;

/** Chunks are made of this record. */
const shown = sql<Uint8Array>`coalesce(shown, raw)`;

/**
 * Reads a page of records in the order of their ids at the source. Hidden entities have no chunks, so it skips them.
 */
export function recordPage(
  db: Db,
  connectionId: string,
  after: string | null,
): Promise<RecordSize[]> {
  const page = db
    .selectFrom('entities')
    .select(['id', 'entity_id', sql<number>`octet_length(${shown})`.as('size')])
    .where('connection_id', '=', connectionId)
    .where('is_hidden', '=', false)
    .orderBy('entity_id')
    .limit(ENTITIES);
  return (after === null ? page : page.where('entity_id', '>', after)).execute();
}

export const records = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('entities')
    .select(['id', 'entity_id', 'recipe', shown.as('record')])
    .where('id', 'in', ids)
    .orderBy('entity_id')
    .execute();

export interface StoredPiece {
  readonly entity: string;
  readonly position: number;
  readonly heading: string | null;
  readonly page: number | null;
  readonly text_hash: string;
  readonly length: number;
  /** The text is null when the body of the chunk is missing. */
  readonly text: string | null;
  /** The terms are null when the body is missing, and in rows of an older version. */
  readonly terms: Uint8Array | null;
}

/** Reads the chunks of these entities, ordered by entity and position. */
export const pieces = (db: Db, entities: readonly string[]): Promise<StoredPiece[]> =>
  db
    .selectFrom('chunks as c')
    .leftJoin('chunk_bodies as b', 'b.n', 'c.n')
    .select([
      'c.entity',
      'c.position',
      'c.heading',
      'c.page',
      'c.text_hash',
      'c.length',
      'b.text',
      'b.terms',
    ])
    .where('c.entity', 'in', entities)
    .orderBy('c.entity')
    .orderBy('c.position')
    .execute();

/** `recipes` has the row ids of the entities, grouped by their new recipe. */
export async function writeRecipes(
  tx: Tx,
  recipes: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const [recipe, ids] of recipes)
    for (const some of chunked(ids, IDS))
      await tx.updateTable('entities').set({ recipe }).where('id', 'in', some).execute();
}
