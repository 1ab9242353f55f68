/**
 * Vectors of two models say nothing about each other, so a collection holds those of one:
 * `collections.embedding_model_name`. When the program starts with another embedder, the vectors of
 * before become those of texts without words: nobody's neighbours, of the new length. Words find
 * everything meanwhile, and the next full sync or a reindex makes vectors anew.
 *
 * While that is being done `vector_size` is 0, so that nobody writes and an interrupted start goes on.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { SourceError } from '../../errors.ts';
import type { Embedder } from '../ports.ts';
import { endNumber, firstNumber, lockIndex, touchIndex } from './rows.ts';

type Model = Pick<Embedder, 'model' | 'dimensions'>;

interface EmbeddedCollection {
  readonly id: string;
  readonly readable_id: string;
  readonly embedding_model_name: string;
  /** Of `indexes`. */
  readonly number: number;
  readonly chunks: number;
}

/** Chunks or entities a transaction. */
const PAGE = 1000;
/** Stands in a recipe where the model did; no embedder is called so. */
const NONE = 'none';

/** Before the index is read or written. Gives those whose chunks have no vectors now, by their readable ids. */
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
  const { id, number } = collection;
  /** False when another process that started at the same time has done it. */
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

  // Whoever writes has committed, and whoever comes sees that nobody may.
  if (!(await holding((tx) => touchIndex(tx, id)))) return;
  for (const step of [recipesOf(db, collection), vectorsOf(db, kind, collection, embedder)])
    for await (const page of step) if (!(await holding(page))) return;
  await holding(async (tx) => {
    await touchIndex(tx, id);
    await tx
      .updateTable('collections')
      .set({ embedding_model_name: embedder.model, vector_size: embedder.dimensions })
      .where('id', '=', id)
      .execute();
    // pgvector has tables for vectors of one length: they are made anew when the index is prepared.
    if (kind === 'postgres')
      await tx
        .deleteFrom('index_forms')
        .where('number', '=', number)
        .where('vectors', '=', 'hnsw')
        .execute();
  });
}

type PageWrite = (tx: Tx) => Promise<void>;

/** No entity is unchanged any more, whatever the embedder of the next full sync is. */
async function* recipesOf(
  db: Kysely<Schema>,
  { id, embedding_model_name: model }: EmbeddedCollection,
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
        .where('connection_id', '=', connection.id)
        .where('entity_id', '>', after)
        .orderBy('entity_id')
        .limit(PAGE)
        .execute();
      const [first, last] = [after, page.at(-1)?.entity_id ?? after];
      yield async (tx) => {
        await sql`
          update entities set recipe = replace(recipe, ${` ${model} `}, ${` ${NONE} `})
          where connection_id = ${connection.id}
            and entity_id > ${first} and entity_id <= ${last}`.execute(tx);
      };
      [after, read] = [last, page.length];
    }
}

async function* vectorsOf(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  { number }: EmbeddedCollection,
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
      .where('n', '>', after)
      .where('n', '<', endNumber(number))
      .orderBy('n')
      .limit(PAGE)
      .execute();
    const [first, last] = [after, page.at(-1)?.n ?? after];
    yield async (tx) => {
      // By its hash a vector would be used again.
      await sql`update chunks set text_hash = '' where n > ${first} and n <= ${last}`.execute(tx);
      await sql`
        update chunk_bodies set scale = 0, vector = ${zeros}
        where n > ${first} and n <= ${last}`.execute(tx);
    };
    [after, read] = [last, page.length];
  }
}

/**
 * Throws when another process has given the collection to another embedder; until the end of the
 * transaction none can.
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
  );
}
