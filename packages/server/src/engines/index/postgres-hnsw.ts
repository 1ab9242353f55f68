/**
 * The vectors of one collection are in a table of their own for pgvector, under an HNSW index.
 *
 * The components are the stored int8 values, which a halfvec represents exactly; HNSW uses the cosine, which needs no
 * scale. The chunks that it finds are ordered by the same scores as in a scan. A text without words has a vector of
 * zeros and so no direction: it is not in the index, and no query finds it there.
 */
import { sql } from 'kysely';
import type { Tx } from '../../db/schema.ts';
import { quantize, type Vector } from '../../model/vector.ts';
import { dialectOf } from './dialect.ts';
import type { ScoredNumber } from './union.ts';

/**
 * The index looks for this many neighbours at once. This is the maximum of pgvector; with fewer neighbours, it misses
 * more of the nearest. A query asks for a multiple, so that a shorter list is the beginning of a longer one.
 */
const GIVEN = 1000;
const dialect = dialectOf('postgres');
const table = (index: number) => sql.id(`vectors_${index}`);

export async function createVectors(tx: Tx, index: number, dimensions: number): Promise<void> {
  await sql`
    create table ${table(index)} (
      n bigint primary key, direction halfvec(${sql.lit(dimensions)}) not null, scale real not null
    )`.execute(tx);
  await sql`
    create index on ${table(index)} using hnsw (direction halfvec_cosine_ops)`.execute(tx);
}

export async function dropVectors(tx: Tx, index: number): Promise<void> {
  await sql`drop table if exists ${table(index)}`.execute(tx);
}

export async function removeVectors(
  tx: Tx,
  index: number,
  numbers: readonly number[],
): Promise<void> {
  await sql`delete from ${table(index)} where n in ${dialect.numbers(numbers)}`.execute(tx);
}

export async function addVectors(
  tx: Tx,
  index: number,
  chunks: readonly { readonly n: number; readonly vector: Vector }[],
): Promise<void> {
  const rows = chunks
    .filter(({ vector }) => vector.values.some((value) => value !== 0))
    .map(({ n, vector: { values, scale } }) => ({
      n,
      direction: JSON.stringify([...values]),
      scale,
    }));
  await sql`
    insert into ${table(index)} (n, direction, scale)
    select n, direction::halfvec, scale
    from ${dialect.rowsOf(rows, { n: 'bigint', direction: 'text', scale: 'double precision' })}`.execute(
    tx,
  );
}

interface NearRow {
  readonly n: number;
  /** This is the negative cosine, divided by the scale of the query. */
  readonly distance: number;
}

const toScored = ({ n, distance }: NearRow, scale: number): ScoredNumber => ({
  n,
  score: -distance * scale,
});

/**
 * This is the largest number of chunks that are compared one by one. It is also the number of rows that pgvector visits
 * before it ends a scan (`hnsw.max_scan_tuples`).
 */
export const COMPARED = 20_000;

/**
 * Returns those of these chunks that are nearest and have a cosine above 0. Each of them is compared, so the result
 * depends on no other chunk.
 */
export async function nearestAmong(
  tx: Tx,
  index: number,
  vector: Float32Array,
  depth: number,
  numbers: readonly number[],
): Promise<ScoredNumber[]> {
  const { scale, values } = quantize(vector);
  const direction = JSON.stringify([...values]);
  const { rows } = await sql<NearRow>`
    select n, distance from (
      select n, (direction <#> ${direction}::halfvec) * scale as distance
      from ${table(index)} where n = any(${numbers}::bigint[])
    ) as near where distance < 0 order by distance, n limit ${depth}`.execute(tx);
  return rows.map((row) => toScored(row, scale));
}

/**
 * Returns the numbers of the nearest chunks with a cosine above 0, among the allowed ones when these are given.
 */
export async function nearestByHnsw(
  tx: Tx,
  index: number,
  vector: Float32Array,
  depth: number,
  allowed: readonly number[] | undefined,
): Promise<ScoredNumber[]> {
  await sql`
    select set_config('hnsw.ef_search', ${String(GIVEN)}, true),
      set_config('hnsw.iterative_scan', 'relaxed_order', true)`.execute(tx);
  const { scale, values } = quantize(vector);
  const direction = JSON.stringify([...values]);
  const filter = allowed ? sql`where n = any(${allowed}::bigint[])` : sql``;
  const { rows } = await sql<NearRow>`
    select n, distance from (
      select n, (direction <#> ${direction}::halfvec) * scale as distance
      from ${table(index)} ${filter}
      order by direction <=> ${direction}::halfvec
      limit ${GIVEN * Math.ceil(depth / GIVEN)}
    ) as near where distance < 0 order by distance, n limit ${depth}`.execute(tx);
  return rows.map((row) => toScored(row, scale));
}
