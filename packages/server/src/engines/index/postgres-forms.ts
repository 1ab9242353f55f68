/**
 * The index of a collection on PostgreSQL has a form that depends on what is installed in the database:
 *
 * - words: the rows have the terms of each chunk, whose lists are held in memory (postings.ts). With pg_textsearch, its
 *   BM25 index finds the candidates instead, beside a GIN index that finds the chunks of a term and counts them
 *   (postgres-words.ts), and no word is held in memory.
 * - vectors: the rows have int8 values, which are scanned in memory. With pgvector, an HNSW index finds the candidates
 *   instead, and no vector is held in memory.
 *
 * The form is a row of `index_forms` and changes in one transaction with the tables, so all processes agree on it,
 * whatever each of them saw when it started.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import type { Vector } from '../../model/vector.ts';
import { chunked, must } from '../../util.ts';
import { addRanked, createRanked, dropRanked, removeRanked, tidyRanked } from './postgres-bm25.ts';
import { addVectors, createVectors, dropVectors, removeVectors } from './postgres-hnsw.ts';
import { addWords, createWords, dropWords, removeWords, tidyWords } from './postgres-words.ts';

/** A statement writes this many chunks, because one entity may have thousands. */
const BATCH = 500;

export interface Forms {
  readonly words: 'memory' | 'bm25';
  readonly vectors: 'scan' | 'hnsw';
}

/** The tables of a form need these parts of a chunk. */
export interface Indexed {
  readonly n: number;
  readonly terms: readonly string[];
  readonly vector: Vector;
}

/** Returns the form of a new collection. */
export async function installedForms(db: Db): Promise<Forms> {
  const { rows } = await sql<{ extname: string }>`
    select extname from pg_extension where extname in ('vector', 'pg_textsearch')`.execute(db);
  const has = (name: string) => rows.some((row) => row.extname === name);
  return {
    words: has('pg_textsearch') ? 'bm25' : 'memory',
    vectors: has('vector') ? 'hnsw' : 'scan',
  };
}

/** This is the index of a collection. */
export interface FormedIndex {
  readonly collectionId: string;
  /** This is the number of the row in `indexes`. */
  readonly number: number;
}

export async function formsOf(db: Db, collectionId: string): Promise<Forms> {
  const row = await db
    .selectFrom('index_forms')
    .select(['words', 'vectors'])
    .where('collection_id', '=', collectionId)
    .executeTakeFirst();
  return must(row, `the index of ${collectionId} has no form: it must be prepared first`);
}

/** Returns whether the form has tables of its own, beside the rows that every index has. */
export const haveTables = ({ words, vectors }: Forms): boolean =>
  words === 'bm25' || vectors === 'hnsw';

/** Creates the tables of a form and records the form. The caller adds the existing chunks. */
export async function createForms(
  tx: Tx,
  { collectionId, number }: FormedIndex,
  forms: Forms,
  dimensions: number,
): Promise<void> {
  if (forms.words === 'bm25') {
    await createWords(tx, number);
    await createRanked(tx, number);
  }
  if (forms.vectors === 'hnsw') await createVectors(tx, number, dimensions);
  await tx
    .insertInto('index_forms')
    .values({ number, collection_id: collectionId, ...forms })
    .execute();
}

export async function dropForms(tx: Tx, { collectionId, number }: FormedIndex): Promise<void> {
  await tx.deleteFrom('index_forms').where('collection_id', '=', collectionId).execute();
  await dropWords(tx, number);
  await dropRanked(tx, number);
  await dropVectors(tx, number);
}

export async function addToForms(
  tx: Tx,
  index: number,
  forms: Forms,
  chunks: readonly Indexed[],
): Promise<void> {
  for (const batch of chunked(chunks, BATCH)) {
    if (forms.words === 'bm25') {
      await addWords(tx, index, batch);
      await addRanked(tx, index, batch);
    }
    if (forms.vectors === 'hnsw') await addVectors(tx, index, batch);
  }
}

export async function removeFromForms(
  tx: Tx,
  index: number,
  forms: Forms,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  if (forms.words === 'bm25') {
    await removeWords(tx, index, numbers);
    await removeRanked(tx, index, numbers);
  }
  if (forms.vectors === 'hnsw') await removeVectors(tx, index, numbers);
}

/** Performs one step of upkeep. Returns whether there is more to do. */
export async function tidyForms(db: Db, index: number, forms: Forms): Promise<boolean> {
  if (forms.words !== 'bm25') return false;
  await tidyWords(db, index);
  return tidyRanked(db, index);
}
