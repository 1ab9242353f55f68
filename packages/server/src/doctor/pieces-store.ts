/** This is the query that reads the stored chunks of entities. */
import type { Db } from '../db/schema.ts';

export interface StoredPiece {
  readonly entity: string;
  readonly position: number;
  readonly heading: string | null;
  readonly page: number | null;
  readonly place: string | null;
  /** It is null in rows of an older version. */
  readonly line: number | null;
  readonly text_hash: string;
  readonly length: number;
  /** The text is null when the body of the chunk is missing. */
  readonly text: string | null;
  /** The terms are null when the body or they themselves are missing. */
  readonly terms: Uint8Array | null;
  /** It is null when the body is missing. */
  readonly is_titled: boolean | null;
}

/** Reads the chunks of these entities of a collection, ordered by entity and position. */
export const pieces = (
  db: Db,
  collectionId: string,
  entities: readonly string[],
): Promise<StoredPiece[]> =>
  db
    .selectFrom('chunks as c')
    .leftJoin('chunk_bodies as b', (join) =>
      join.onRef('b.n', '=', 'c.n').on('b.collection_id', '=', collectionId),
    )
    .select([
      'c.entity',
      'c.position',
      'c.heading',
      'c.page',
      'c.place',
      'c.line',
      'c.text_hash',
      'c.length',
      'b.text',
      'b.terms',
      'b.is_titled',
    ])
    .where('c.collection_id', '=', collectionId)
    .where('c.entity', 'in', entities)
    .orderBy('c.entity')
    .orderBy('c.position')
    .execute();
