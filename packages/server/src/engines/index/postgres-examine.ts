/**
 * Compares the tables of an index (postgres-forms.ts) with the chunks. Each table has one row for each chunk, except
 * that the table of pgvector has none for a vector of zeros.
 */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import type { IndexFinding } from '../ports.ts';
import { EXAMINED, endOf, type RowsPage } from './examine.ts';
import type { Forms } from './postgres-forms.ts';
import { termsOf } from './postgres-words.ts';
import { type WordsRow, wordFindings } from './word-findings.ts';

interface VectorRow {
  readonly n: number;
  /** These are the int8 values as pgvector writes them. */
  readonly direction: string;
  readonly scale: number;
}

/** These are the first rows of each table after a number. */
export interface FormRows {
  /** These are the rows under the GIN index; null means that the index has no such table. */
  readonly words: readonly WordsRow[] | null;
  /** These are the rows of pg_textsearch; null means that the index does not use it. */
  readonly ranked: readonly WordsRow[] | null;
  /** These are the rows of pgvector; null means that the index does not use it. */
  readonly vectors: readonly VectorRow[] | null;
  /** All lists are complete up to this number, which is included. */
  readonly upTo: number;
}

export async function formRows(
  db: Db,
  index: number,
  forms: Forms,
  after: number,
): Promise<FormRows> {
  const words = forms.words === 'bm25' ? await wordsAfter(db, index, after) : null;
  const ranked = forms.words === 'bm25' ? await rankedAfter(db, index, after) : null;
  const vectors = forms.vectors === 'hnsw' ? await vectorsAfter(db, index, after) : null;
  const upTo = Math.min(endOf(words ?? []), endOf(ranked ?? []), endOf(vectors ?? []));
  return { words, ranked, vectors, upTo };
}

export function* formFindings(page: RowsPage, read: FormRows): Generator<IndexFinding> {
  if (read.words) yield* wordFindings(page.chunks, upTo(page, read.words));
  if (read.ranked) yield* wordFindings(page.chunks, upTo(page, read.ranked));
  if (read.vectors) yield* vectorFindings(page, upTo(page, read.vectors));
}

const upTo = <Row extends { readonly n: number }>(
  page: Pick<RowsPage, 'upTo'>,
  rows: readonly Row[],
): Row[] => rows.filter(({ n }) => n <= page.upTo);

/** Texts without words have no direction, and therefore no row in this table. */
function* vectorFindings(
  { chunks, bodies }: RowsPage,
  vectors: readonly VectorRow[],
): Generator<IndexFinding> {
  const known = new Map(chunks.map(({ n, entity }) => [n, entity]));
  const copies = new Map(vectors.map((row) => [row.n, row]));
  for (const { n } of vectors)
    if (!known.has(n)) yield { kind: 'body_without_chunk', n, entity: null };
  for (const { n, scale, vector } of bodies) {
    const entity = known.get(n);
    if (entity === undefined) continue;
    const copy = copies.get(n);
    const values = new Int8Array(vector.buffer, vector.byteOffset, vector.length);
    const right = values.some((value) => value !== 0)
      ? copy?.direction === `[${values.join(',')}]` &&
        Math.fround(copy.scale) === Math.fround(scale)
      : copy === undefined;
    if (!right) yield { kind: 'wrong_vector', n, entity };
  }
}

async function wordsAfter(db: Db, index: number, after: number): Promise<WordsRow[]> {
  const { rows } = await sql<{ n: number; lexemes: string }>`
    select n, array_to_string(tsvector_to_array(words), ' ') as lexemes
    from ${sql.id(`words_${index}`)}
    where n > ${after} order by n limit ${sql.lit(EXAMINED)}`.execute(db);
  return rows.map(({ n, lexemes }) => ({ n, ...termsOf(lexemes.split(' ')) }));
}

async function rankedAfter(db: Db, index: number, after: number): Promise<WordsRow[]> {
  const { rows } = await sql<WordsRow>`
    select n, cardinality(string_to_array(words, ' ')) as terms from ${sql.id(`bm25_${index}`)}
    where n > ${after} order by n limit ${sql.lit(EXAMINED)}`.execute(db);
  return rows;
}

async function vectorsAfter(db: Db, index: number, after: number): Promise<VectorRow[]> {
  const { rows } = await sql<VectorRow>`
    select n, direction::text as direction, scale from ${sql.id(`vectors_${index}`)}
    where n > ${after} order by n limit ${sql.lit(EXAMINED)}`.execute(db);
  return rows;
}
