/**
 * The words of one collection are in a table of their own for pg_textsearch, which orders by BM25 in its index, so
 * that statistics do not mix between collections.
 *
 * Every query names the index and does not select the score, because otherwise pg_textsearch computes the scores row by
 * row. Its parser and dictionary see one word of ASCII letters for each of our terms.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import { dialectOf } from './dialect.ts';
import type { ScoredNumber } from './union.ts';

/** A query asks for a multiple of this many chunks, so that a shorter list is the beginning of a longer one. */
const GIVEN = 1000;
const dialect = dialectOf('postgres');
const table = (index: number) => sql.id(`bm25_${index}`);
const tree = (index: number) => `bm25_${index}_bm25`;

export async function createRanked(tx: Tx, index: number): Promise<void> {
  await sql`
    create table ${table(index)} (n bigint primary key, words text not null)`.execute(tx);
  await sql`
    create index ${sql.id(tree(index))} on ${table(index)} using bm25 (words)
    with (text_config = 'simple', k1 = 1.2, b = 0.75)`.execute(tx);
}

export async function dropRanked(tx: Tx, index: number): Promise<void> {
  await sql`drop table if exists ${table(index)}`.execute(tx);
}

export async function removeRanked(
  tx: Tx,
  index: number,
  numbers: readonly number[],
): Promise<void> {
  await sql`delete from ${table(index)} where n in ${dialect.numbers(numbers)}`.execute(tx);
}

export async function addRanked(
  tx: Tx,
  index: number,
  chunks: readonly { readonly n: number; readonly terms: readonly string[] }[],
): Promise<void> {
  const rows = chunks.map(({ n, terms }) => ({ n, words: terms.map(letters).join(' ') }));
  await sql`
    insert into ${table(index)} (n, words)
    select n, words from ${dialect.rowsOf(rows, { n: 'bigint', words: 'text' })}`.execute(tx);
}

export async function tidyRanked(db: Db, index: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    select bm25_compact_step(oid) as more from pg_class
    where oid = to_regclass(${tree(index)})`.execute(db);
  return rows[0]?.more ?? false;
}

/** Returns the best chunks, among the allowed ones when these are given. A score says only the place in this list. */
export async function rankedByWords(
  tx: Tx,
  index: number,
  terms: readonly string[],
  depth: number,
  allowed: readonly number[] | undefined,
): Promise<ScoredNumber[]> {
  if (terms.length === 0) return [];
  // A plan with a sort would score all rows one by one.
  await sql`select set_config('enable_sort', 'off', true)`.execute(tx);
  const query = terms.map(letters).join(' ');
  const filter = allowed ? sql`where n = any(${allowed}::bigint[])` : sql``;
  const { rows } = await sql<{ n: number }>`
    select n from ${table(index)} ${filter}
    order by words <@> to_bm25query(${query}, ${tree(index)})
    limit ${GIVEN * Math.ceil(depth / GIVEN)}`.execute(tx);
  await sql`select set_config('enable_sort', 'on', true)`.execute(tx);
  return rows.slice(0, depth).map(({ n }, place) => ({ n, score: -place }));
}

/** Writes a term in ASCII letters, because PostgreSQL's parser never splits such a word, but may split others. */
function letters(term: string): string {
  if (/^[a-y][a-z]*$/.test(term)) return term;
  const digits = [...Buffer.from(term).toString('hex')];
  return `z${digits.map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('')}`;
}
