/** Queries of making chunks anew: stored records in pages, and what a commit writes. */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/schema.ts';
import { chunked } from '../util.ts';

const ENTITIES = 200;
const IDS = 500;

export interface RecordSize {
  readonly id: string;
  readonly entity_id: string;
  /** In bytes, as stored. */
  readonly size: number;
}

/** In the order of their ids at the source. */
export function recordPage(
  db: Db,
  connectionId: string,
  after: string | null,
): Promise<RecordSize[]> {
  const page = db
    .selectFrom('entities')
    .select(['id', 'entity_id', sql<number>`octet_length(raw)`.as('size')])
    .where('connection_id', '=', connectionId)
    .orderBy('entity_id')
    .limit(ENTITIES);
  return (after === null ? page : page.where('entity_id', '>', after)).execute();
}

export const records = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('entities')
    .select(['id', 'entity_id', 'recipe', 'raw'])
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
  /** Null when the body is missing. */
  readonly text: string | null;
}

/** The chunks of these entities, by entity and position. */
export const pieces = (db: Db, entities: readonly string[]): Promise<StoredPiece[]> =>
  db
    .selectFrom('chunks as c')
    .leftJoin('chunk_bodies as b', 'b.n', 'c.n')
    .select(['c.entity', 'c.position', 'c.heading', 'c.page', 'c.text_hash', 'c.length', 'b.text'])
    .where('c.entity', 'in', entities)
    .orderBy('c.entity')
    .orderBy('c.position')
    .execute();

/** `ids` by recipe. */
export async function writeRecipes(
  tx: Tx,
  recipes: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const [recipe, ids] of recipes)
    for (const some of chunked(ids, IDS))
      await tx.updateTable('entities').set({ recipe }).where('id', 'in', some).execute();
}
