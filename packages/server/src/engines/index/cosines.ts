/**
 * Measures how near the texts of a collection are to each other. A search needs this to know which cosine means "near":
 * the cosines of one embedding model lie around 0.3, those of another around 0.8.
 *
 * A commit measures again when the collection has twice as many vectors as at the last time. So a collection of a
 * million chunks is measured some twenty times. The results depend on texts that an asker may not see. They are
 * rounded, so that a single text almost never changes them.
 */
import { type Selectable, sql } from 'kysely';
import type { IndexTable, Tx } from '../../db/schema.ts';
import { cosine, type Vector } from '../../model/vector.ts';
import type { CosineRange } from '../ports.ts';
import type { Dialect } from './dialect.ts';
import { endNumber, firstNumber } from './numbers.ts';

/** This many vectors are compared, each with every other one. It takes a few milliseconds. */
const SAMPLE = 128;
/** A smaller standard deviation of the cosines comes only from the rounding of vectors to int8. */
const MIN_SPREAD = 0.005;
/** The cosines of fewer vectors say nothing about a collection. */
const MIN_VECTORS = 8;

/** These columns of a row of `indexes` say when to measure again. */
export type MeasuredIndex = Pick<
  Selectable<IndexTable>,
  'collection_id' | 'number' | 'next_chunk' | 'chunks' | 'cosine_chunks'
>;

/** Measures the cosines when the collection has grown enough. The transaction has locked the row of the index. */
export async function measureCosines(
  tx: Tx,
  dialect: Dialect,
  { collection_id, number, next_chunk, chunks, cosine_chunks }: MeasuredIndex,
): Promise<void> {
  if (chunks < Math.max(MIN_VECTORS, 2 * cosine_chunks)) return;
  const rows = await sampled(tx, dialect, { collection_id, number, next_chunk });
  // After a change of the embedding model, a vector is all zeros until its text is embedded again.
  const vectors = rows.filter(({ scale }) => scale > 0);
  const range = rangeOf(vectors);
  if (!range) return;
  await tx
    .updateTable('indexes')
    .set({
      cosine_mean: range.mean,
      cosine_spread: range.spread,
      cosine_chunks: Math.round((chunks * vectors.length) / rows.length),
    })
    .where('collection_id', '=', collection_id)
    .execute();
}

/**
 * Returns the vectors of chunks that lie at equal distances in the collection's range of numbers, or next to such a
 * place.
 */
async function sampled(
  tx: Tx,
  dialect: Dialect,
  { collection_id, number, next_chunk }: Omit<MeasuredIndex, 'chunks' | 'cosine_chunks'>,
): Promise<Vector[]> {
  const starts = Array.from({ length: SAMPLE }, (_, i) => ({
    start: firstNumber(number) + Math.floor((next_chunk * i) / SAMPLE),
  }));
  const end = endNumber(number);
  const { rows } = await sql<{ scale: number; vector: Uint8Array }>`
    select scale, vector from chunk_bodies where collection_id = ${collection_id} and n in (
      select (select min(b.n) from chunk_bodies b
        where b.collection_id = ${collection_id} and b.n >= start and b.n < ${end})
      from ${dialect.rowsOf(starts, { start: 'bigint' })})`.execute(tx);
  return rows.map(({ scale, vector }) => ({ scale, values: new Int8Array(vector) }));
}

/** Returns null where there are too few vectors, or where all cosines are almost equal. */
export function rangeOf(vectors: readonly Vector[]): CosineRange | null {
  if (vectors.length < MIN_VECTORS) return null;
  const cosines = vectors.flatMap((vector, i) =>
    vectors.slice(i + 1).map((other) => cosine(vector, other)),
  );
  const mean = cosines.reduce((sum, one) => sum + one, 0) / cosines.length;
  const variance = cosines.reduce((sum, one) => sum + (one - mean) ** 2, 0) / cosines.length;
  const spread = Number(Math.sqrt(variance).toPrecision(2));
  return spread >= MIN_SPREAD ? { mean: Number(mean.toFixed(2)), spread } : null;
}

export interface StoredRange {
  readonly cosine_mean: number | null;
  readonly cosine_spread: number | null;
}

/** These columns of `indexes` have the range of a collection. */
export const RANGE_COLUMNS = ['cosine_mean', 'cosine_spread'] as const;

export const toRange = ({ cosine_mean, cosine_spread }: StoredRange): CosineRange | null =>
  cosine_mean === null || cosine_spread === null
    ? null
    : { mean: cosine_mean, spread: cosine_spread };
