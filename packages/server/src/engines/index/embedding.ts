/**
 * Vectors of two models cannot be compared, so all vectors of a collection come from one model:
 * `collections.embedding_model_name`. When the program starts with another embedder, it replaces the old vectors by
 * zeros of the new length, which are near to no query. Until the next full sync or a reindex makes the vectors again, a
 * search finds the chunks only by words.
 *
 * During this change `vector_size` is 0, so that no process writes, and a later start goes on with the change after an
 * interruption.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { SourceError } from '../../errors.ts';
import type { Embedder } from '../ports.ts';
import { lockIndex, touchIndex, unnameSegment } from './index-rows.ts';
import { endNumber, firstNumber } from './numbers.ts';

type Model = Pick<Embedder, 'model' | 'dimensions'>;

interface EmbeddedCollection {
  readonly id: string;
  readonly readable_id: string;
  readonly embedding_model_name: string;
  /** This is the number of the row in `indexes`. */
  readonly number: number;
  readonly chunks: number;
}

/** A transaction changes this many chunks or entities. */
const PAGE = 1000;

/**
 * Runs before the index is read or written. Returns the readable ids of the collections whose chunks have no
 * vectors now.
 */
export async function adoptEmbedder(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  embedder: Model,
): Promise<readonly string[]> {
  const others = await db
    .selectFrom('collections as c')
    .innerJoin('indexes as i', 'i.collection_id', 'c.id')
    .select(['c.id', 'c.readable_id', 'c.embedding_model_name', 'i.number', 'i.chunks'])
    .where((eb) =>
      eb.or([
        eb('c.embedding_model_name', '<>', embedder.model),
        eb('c.vector_size', '<>', embedder.dimensions),
      ]),
    )
    .orderBy('i.number')
    .execute();
  for (const collection of others) await adopt(db, kind, collection, embedder);
  return others.filter(({ chunks }) => chunks > 0).map(({ readable_id }) => readable_id);
}

async function adopt(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  collection: EmbeddedCollection,
  embedder: Model,
): Promise<void> {
  const { id } = collection;
  /**
   * Runs `work` in a transaction that marks the collection as changing. Returns false, and does not run it, when
   * another process that started at the same time has finished the change.
   */
  const holding = (work: (tx: Tx) => Promise<void>): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      const held = await tx
        .updateTable('collections')
        .set({ vector_size: 0 })
        .where('id', '=', id)
        .where('embedding_model_name', '=', collection.embedding_model_name)
        .executeTakeFirst();
      if (held.numUpdatedRows === 0n) return false;
      await work(tx);
      return true;
    });

  // After this transaction every earlier writer has committed, and every later writer sees that it may not write.
  if (!(await holding((tx) => restartIndex(tx, id)))) return;
  for (const step of [versionsOf(db, collection), vectorsOf(db, kind, collection, embedder)])
    for await (const page of step) if (!(await holding(page))) return;
  await holding(async (tx) => {
    await restartIndex(tx, id);
    await tx
      .updateTable('indexes')
      .set({ cosine_mean: null, cosine_spread: null, cosine_chunks: 0 })
      .where('collection_id', '=', id)
      .execute();
    await tx
      .updateTable('collections')
      .set({ embedding_model_name: embedder.model, vector_size: embedder.dimensions })
      .where('id', '=', id)
      .execute();
    // The tables of pgvector have vectors of one length, so they are made again when the index is prepared.
    if (kind === 'postgres')
      await tx
        .deleteFrom('index_forms')
        .where('collection_id', '=', id)
        .where('vectors', '=', 'hnsw')
        .execute();
  });
}

/** A stored copy would bring the old vectors back, because the numbers of the chunks stay. */
async function restartIndex(tx: Tx, collectionId: string): Promise<void> {
  await touchIndex(tx, collectionId);
  await unnameSegment(tx, collectionId);
}

type PageWrite = (tx: Tx) => Promise<void>;

/**
 * Empties `chunk_version`, so that the next full sync makes the chunks of every entity again, even if the old embedder
 * is back by then.
 */
async function* versionsOf(
  db: Kysely<Schema>,
  { id }: EmbeddedCollection,
): AsyncGenerator<PageWrite, void, void> {
  const connections = await db
    .selectFrom('connections')
    .select('id')
    .where('collection_id', '=', id)
    .execute();
  for (const connection of connections)
    for (let after = '', read = PAGE; read === PAGE; ) {
      const page = await db
        .selectFrom('entities')
        .select('entity_id')
        .where('collection_id', '=', id)
        .where('connection_id', '=', connection.id)
        .where('entity_id', '>', after)
        .orderBy('entity_id')
        .limit(PAGE)
        .execute();
      const [first, last] = [after, page.at(-1)?.entity_id ?? after];
      yield async (tx) => {
        await sql`
          update entities set chunk_version = ''
          where collection_id = ${id} and connection_id = ${connection.id}
            and entity_id > ${first} and entity_id <= ${last}`.execute(tx);
      };
      [after, read] = [last, page.length];
    }
}

async function* vectorsOf(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  { id, number }: EmbeddedCollection,
  { dimensions }: Model,
): AsyncGenerator<PageWrite, void, void> {
  const zeros =
    kind === 'sqlite'
      ? sql`zeroblob(${sql.lit(dimensions)})`
      : sql`decode(repeat('00', ${sql.lit(dimensions)}), 'hex')`;
  for (let after = firstNumber(number) - 1, read = PAGE; read === PAGE; ) {
    const page = await db
      .selectFrom('chunk_bodies')
      .select('n')
      .where('collection_id', '=', id)
      .where('n', '>', after)
      .where('n', '<', endNumber(number))
      .orderBy('n')
      .limit(PAGE)
      .execute();
    const [first, last] = [after, page.at(-1)?.n ?? after];
    yield async (tx) => {
      // If the hash stayed, the zeros would be used again for an equal text.
      await sql`
        update chunks set text_hash = ''
        where collection_id = ${id} and n > ${first} and n <= ${last}`.execute(tx);
      await sql`
        update chunk_bodies set scale = 0, vector = ${zeros}
        where collection_id = ${id} and n > ${first} and n <= ${last}`.execute(tx);
    };
    [after, read] = [last, page.length];
  }
}

/**
 * Throws when another process has changed the collection to another embedder. From now until the end of the
 * transaction, such a change has to wait.
 */
export async function assertEmbedder(
  tx: Tx,
  collectionId: string,
  { model, dimensions }: Model,
): Promise<void> {
  await lockIndex(tx, collectionId);
  const row = await tx
    .selectFrom('collections')
    .select(['embedding_model_name', 'vector_size'])
    .where('id', '=', collectionId)
    .executeTakeFirst();
  if (!row || (row.embedding_model_name === model && row.vector_size === dimensions)) return;
  throw new SourceError(
    'config',
    `the vectors of this collection are made by ${row.embedding_model_name} and not by ${model}: QUARRY_EMBEDDER must be the same in all processes, and all are to be started again after a change`,
    { stage: 'commit' },
  );
}
