/** These queries read the chunks of a connection in the order of cursors, and count them. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Db } from '../../db/schema.ts';
import type { Needles } from './needles.ts';
import type { OfCollection } from './store.ts';
import type { WalkBatch } from './walk.ts';

export interface ChunkBatch extends WalkBatch, OfCollection {}

export interface AskedLines {
  readonly kind: DatabaseKind;
  readonly entityType: string | undefined;
  readonly needles: Needles;
  readonly limit: number;
}

/**
 * Returns chunks without most columns of their entities, because joining would read an entity once for each of its
 * chunks.
 */
export const chunks = (db: Db, { limit, ...range }: ChunkBatch, entityType: string | undefined) =>
  withTexts(chunksIn(db, { ...range, until: null }, entityType), range)
    .orderBy('entities.entity_id')
    .orderBy('chunks.position')
    .limit(limit)
    .execute();

/** Returns the first chunks of the range that have one of the needles, in the form of `chunks`. */
export const chunksWithNeedles = (
  db: Db,
  range: ChunkRange,
  { kind, entityType, needles, limit }: AskedLines,
) =>
  withTexts(chunksIn(db, range, entityType), range)
    .where(hasNeedle(kind, needles))
    .orderBy('entities.entity_id')
    .orderBy('chunks.position')
    .limit(limit)
    .execute();

/** Returns the position of the last chunk of a batch, or null when no later chunk is left. */
export async function lastOf(
  db: Db,
  { limit, ...range }: ChunkBatch,
  entityType: string | undefined,
): Promise<WalkBatch['after']> {
  const row = await chunksIn(db, { ...range, until: null }, entityType)
    .select(['entities.entity_id as entity', 'chunks.position'])
    .orderBy('entities.entity_id')
    .orderBy('chunks.position')
    .limit(1)
    .offset(limit - 1)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns how many chunks of the range are in entities that are shown, and visible to the asker. */
export async function countChunks(
  db: Db,
  range: ChunkRange,
  {
    visible,
    entityType,
  }: { readonly visible: RawBuilder<boolean>; readonly entityType: string | undefined },
): Promise<number> {
  const { count } = await chunksIn(db, range, entityType)
    .where('entities.is_hidden', '=', false)
    .where(visible)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface ChunkRange extends Pick<ChunkBatch, 'collectionId' | 'connection' | 'after'> {
  /** The range ends with this position, or with the last row when this is null. */
  readonly until: WalkBatch['after'];
}

function chunksIn(
  db: Db,
  { collectionId, connection, after, until }: ChunkRange,
  entityType: string | undefined,
) {
  let query = db
    .selectFrom('entities')
    .innerJoin('chunks', 'chunks.entity', 'entities.id')
    .where('entities.collection_id', '=', collectionId)
    .where('chunks.collection_id', '=', collectionId)
    .where('entities.connection_id', '=', connection);
  // Each condition on both columns comes with one on the first, by which the databases find the range in their index.
  if (after)
    query = query
      .where('entities.entity_id', '>=', after.entity)
      .where((eb) =>
        eb.or([
          eb('entities.entity_id', '>', after.entity),
          eb('chunks.position', '>', after.position),
        ]),
      );
  if (until)
    query = query
      .where('entities.entity_id', '<=', until.entity)
      .where((eb) =>
        eb.or([
          eb('entities.entity_id', '<', until.entity),
          eb('chunks.position', '<=', until.position),
        ]),
      );
  return entityType === undefined ? query : query.where('entities.entity_type', '=', entityType);
}

const withTexts = (query: ReturnType<typeof chunksIn>, { collectionId }: OfCollection) =>
  query
    .innerJoin('chunk_bodies', 'chunk_bodies.n', 'chunks.n')
    .where('chunk_bodies.collection_id', '=', collectionId)
    .select([
      'entities.id',
      'entities.entity_id',
      'chunks.position',
      'chunks.heading',
      'chunks.page',
      'chunks.place',
      'chunks.line',
      'chunk_bodies.text',
    ]);

/** Both databases compare the bytes of the texts. `lower` changes only ASCII letters: SQLite's does, and C has no others. */
function hasNeedle(kind: DatabaseKind, { texts, ignoresCase }: Needles): RawBuilder<boolean> {
  const text = sql`chunk_bodies.text`;
  const lower = kind === 'sqlite' ? sql`lower(${text})` : sql`lower(${text} collate "C")`;
  const place = sql.raw(kind === 'sqlite' ? 'instr' : 'strpos');
  const has = texts.map((one) => sql`${place}(${ignoresCase ? lower : text}, ${one}) > 0`);
  return sql<boolean>`(${sql.join(has, sql` or `)})`;
}
