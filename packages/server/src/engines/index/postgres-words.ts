/**
 * Beside pg_textsearch (postgres-bm25.ts), the words of one collection are in a table of their own, whose tsvectors hold our own terms
 * (model/terms.ts; no dictionary of PostgreSQL sees them) under a GIN index.
 *
 * GIN says which chunks have a lexeme, but not how often. So the frequency f of a term is written as lexemes, too: the
 * term itself, and `term/b` for every set bit b of f - 1. A question reads only lists of chunk numbers, one for each
 * lexeme; the scores are computed from them in memory.
 *
 * For each list, PostgreSQL visits the rows that GIN has found. So rows are kept short, some 140 on a page: the
 * tsvector is in the TOAST table. PostgreSQL moves values there only from rows above 2 kB, so a column of blanks makes
 * each row that long; blanks are compressed to almost nothing.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import { isTerm } from './askable.ts';
import { dialectOf } from './dialect.ts';
import { firstNumber } from './numbers.ts';

/** A frequency above 2^5 counts as 2^5, because a higher one hardly changes a score. */
const BITS = [0, 1, 2, 3, 4];
const MOST = 2 ** BITS.length;
/**
 * The new entries that wait to be merged into the tree have at most this many kilobytes. Every question reads all of
 * them, but writing each into the tree at once takes four times as long.
 */
const PENDING = 1024;
const TOASTED_ABOVE = 2032;

const dialect = dialectOf('postgres');
const table = (index: number) => sql.id(`words_${index}`);
const tree = (index: number) => `words_${index}_gin`;

export async function createWords(tx: Tx, index: number): Promise<void> {
  await sql`
    create table ${table(index)} (
      n bigint primary key,
      words tsvector not null,
      wide text not null default repeat(' ', ${sql.lit(TOASTED_ABOVE)})
    ) with (toast_tuple_target = 128)`.execute(tx);
  await sql`alter table ${table(index)} alter column words set storage external`.execute(tx);
  await sql`
    create index ${sql.id(tree(index))} on ${table(index)} using gin (words)
    with (gin_pending_list_limit = ${sql.lit(PENDING)})`.execute(tx);
}

export async function dropWords(tx: Tx, index: number): Promise<void> {
  await sql`drop table if exists ${table(index)}`.execute(tx);
}

export async function removeWords(
  tx: Tx,
  index: number,
  numbers: readonly number[],
): Promise<void> {
  await sql`delete from ${table(index)} where n in ${dialect.numbers(numbers)}`.execute(tx);
}

export async function addWords(
  tx: Tx,
  index: number,
  chunks: readonly { readonly n: number; readonly terms: readonly string[] }[],
): Promise<void> {
  const rows = chunks.map(({ n, terms }) => ({ n, words: lexemes(terms).join(' ') }));
  await sql`
    insert into ${table(index)} (n, words)
    select n, words::tsvector
    from ${dialect.rowsOf(rows, { n: 'bigint', words: 'text' })}`.execute(tx);
}

/**
 * Moves the waiting entries into the tree. The index may be missing, because a collection may be dropped any time.
 */
export async function tidyWords(db: Db, index: number): Promise<void> {
  await sql`
    select gin_clean_pending_list(oid) from pg_class
    where oid = to_regclass(${tree(index)})`.execute(db);
}

/** Returns how many chunks have each of the terms. */
export async function countChunks(
  tx: Tx,
  index: number,
  terms: readonly string[],
): Promise<number[]> {
  const { rows } = await sql<{ chunks: number }>`
    select (select count(*) from ${table(index)} where words @@ asked.lexeme::tsquery) as chunks
    from ${asked(terms.map(quoted))} order by asked.position`.execute(tx);
  return rows.map((row) => row.chunks);
}

/** A chunk is given as the distance of its number from the first number of the collection, less MIDDLE. */
export interface GinLists {
  readonly chunks: Int32Array;
  /** The list at position b has the chunks in which bit b of the frequency less one is set. */
  readonly bits: readonly Int32Array[];
}

/** A distance is below 2^32, but a number that PostgreSQL packs into four bytes has a sign. */
export const MIDDLE = 2 ** 31;

/** Returns the chunks that have each of the terms, in the form of `GinLists`. */
export const readChunks = (
  tx: Tx,
  index: number,
  terms: readonly string[],
): Promise<readonly Int32Array[]> => readLists(tx, index, terms.map(quoted));

export async function readPostings(
  tx: Tx,
  index: number,
  terms: readonly string[],
): Promise<Map<string, GinLists>> {
  const lexemes = terms.flatMap((term) => [
    quoted(term),
    ...BITS.map((bit) => quoted(`${term}/${bit}`)),
  ]);
  const lists = await readLists(tx, index, lexemes);
  return new Map(
    terms.map((term, i) => {
      const [chunks = NOWHERE, ...bits] = lists.slice(
        i * (BITS.length + 1),
        (i + 1) * (BITS.length + 1),
      );
      return [term, { chunks, bits }];
    }),
  );
}

/** Returns the chunks that have each of the lexemes. */
async function readLists(
  tx: Tx,
  index: number,
  lexemes: readonly string[],
): Promise<readonly Int32Array[]> {
  if (lexemes.length === 0) return [];
  const middle = firstNumber(index) + MIDDLE;
  const { rows } = await sql<{ chunks: Buffer | null }>`
    select (
      select string_agg(int4send((n - ${sql.lit(middle)})::integer), '')
      from ${table(index)} where words @@ asked.lexeme::tsquery
    ) as chunks
    from ${asked(lexemes)} order by asked.position`.execute(tx);
  return rows.map((row) => unpacked(row.chunks));
}

const NOWHERE = new Int32Array();

/** Converts the numbers from big-endian, which int4send writes. */
function unpacked(packed: Buffer | null): Int32Array {
  if (!packed) return NOWHERE;
  const { buffer } = Uint8Array.from(packed);
  Buffer.from(buffer).swap32();
  return new Int32Array(buffer);
}

const asked = (lexemes: readonly string[]) =>
  sql`jsonb_array_elements_text(${JSON.stringify(lexemes)}::jsonb) with ordinality
    as asked(lexeme, position)`;

function lexemes(terms: readonly string[]): string[] {
  const frequencies = new Map<string, number>();
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return [...frequencies]
    .filter(([term]) => isTerm(term))
    .flatMap(([term, frequency]) => {
      const more = Math.min(frequency, MOST) - 1;
      const bits = BITS.filter((bit) => (more >> bit) & 1);
      return [quoted(term), ...bits.map((bit) => quoted(`${term}/${bit}`))];
    });
}

/**
 * Returns how many terms the chunk with these lexemes has. `isLowerBound` is true when one of the terms has the highest
 * frequency that lexemes can express, so that the chunk may have more.
 */
export function termsOf(lexemes: readonly string[]): { terms: number; isLowerBound: boolean } {
  const frequencies = new Map<string, number>();
  for (const lexeme of lexemes) {
    if (lexeme === '') continue;
    const [term = '', bit] = lexeme.split('/');
    const more = bit === undefined ? 1 : 1 << Number(bit);
    frequencies.set(term, (frequencies.get(term) ?? 0) + more);
  }
  const counts = [...frequencies.values()];
  return {
    terms: counts.reduce((sum, count) => sum + count, 0),
    isLowerBound: counts.includes(MOST),
  };
}

/** Terms hold neither quotes nor backslashes, so nothing needs an escape. */
const quoted = (lexeme: string) => `'${lexeme}'`;
