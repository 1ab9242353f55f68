/** The row of the index of a collection: its version, its next number and its totals. rows.ts explains the numbers. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import { must } from '../../util.ts';
import type { Totals } from '../ports.ts';
import type { MeasuredIndex } from './cosines.ts';

/** Returns the number of the new index. */
export async function createIndexRow(tx: Tx, collectionId: string): Promise<number> {
  const row = { collection_id: collectionId, version: 0, next_chunk: 0, chunks: 0, terms: 0 };
  const { number } = await tx
    .insertInto('indexes')
    .values(row)
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}

export async function indexNumber(db: Db, collectionId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('indexes')
    .select('number')
    .where('collection_id', '=', collectionId)
    .executeTakeFirst();
  return row?.number;
}

/** Returns the number of the index that was removed, or undefined when the collection had none. */
export async function dropIndexRow(tx: Tx, collectionId: string): Promise<number | undefined> {
  const row = await tx
    .deleteFrom('indexes')
    .where('collection_id', '=', collectionId)
    .returning('number')
    .executeTakeFirst();
  return row?.number;
}

/** Keeps all other writers of the index waiting until the end of the transaction. */
export const lockIndex = (tx: Tx, collectionId: string) =>
  tx
    .updateTable('indexes')
    .set({ version: sql`version` })
    .where('collection_id', '=', collectionId)
    .execute();

export async function touchIndex(tx: Tx, collectionId: string): Promise<void> {
  await advance(tx, collectionId, 0);
}

/** Names no stored copy of the memory (segments.ts) any more, so that the next start reads the rows. */
export async function unnameSegment(db: Db, collectionId: string): Promise<void> {
  await db
    .updateTable('indexes')
    .set({ segment: null })
    .where('collection_id', '=', collectionId)
    .execute();
}

/** Takes so many numbers of chunks, and returns the row after it. */
export async function advance(tx: Tx, collectionId: string, chunks: number) {
  const row = await tx
    .updateTable('indexes')
    .set({ version: sql`version + 1`, next_chunk: sql`next_chunk + ${chunks}` })
    .where('collection_id', '=', collectionId)
    .returning(['number', 'next_chunk'])
    .executeTakeFirst();
  return must(row, `collection ${collectionId} has no search index`);
}

/** Returns the row of the index after the change. */
export const addToTotals = (tx: Tx, collectionId: string, by: Totals): Promise<MeasuredIndex> =>
  tx
    .updateTable('indexes')
    .set({ chunks: sql`chunks + ${by.chunks}`, terms: sql`terms + ${by.terms}` })
    .where('collection_id', '=', collectionId)
    .returning(['collection_id', 'number', 'next_chunk', 'chunks', 'cosine_chunks'])
    .executeTakeFirstOrThrow();
