/**
 * The words of one collection on PostgreSQL: a table of its own, whose tsvectors hold our own terms
 * (model/terms.ts; no dictionary of PostgreSQL sees them) under a GIN index.
 *
 * GIN says which chunks have a lexeme, not how often. So the frequency f of a term is written as
 * lexemes too: the term itself, and `term/b` for every bit b of f - 1. A question reads nothing but lists
 * of chunk numbers, one a lexeme; the scores are made of them in memory.
 *
 * For the lists GIN makes PostgreSQL visit the rows, so they are kept narrow, some 140 a page: the
 * tsvector lies in the TOAST table. PostgreSQL moves values out only of rows above 2 kB, so a row is made
 * that wide by blanks, which are compressed to nothing.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import { isTerm } from './askable.ts';
import { dialectOf } from './dialect.ts';
import { firstNumber } from './rows.ts';

/** Frequencies of 2^5 and more count as that: they say no more. */
const BITS = [0, 1, 2, 3, 4];
const MOST = 2 ** BITS.length;
/**
 * Kilobytes of new entries that wait to be merged into the tree: every question reads all of them, and
 * writing each at once takes four times as long.
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

/** Moves the waiting entries into the tree. The collection may be dropped at any moment. */
export async function tidyWords(db: Db, index: number): Promise<void> {
  await sql`
    select gin_clean_pending_list(oid) from pg_class
    where oid = to_regclass(${tree(index)})`.execute(db);
}

/** How many chunks have each of the terms. */
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

/** Chunks are given as their number's distance from the first of the collection, less MIDDLE. */
export interface Postings {
  readonly chunks: Int32Array;
  /** By bit of the frequency less one. */
  readonly bits: readonly Int32Array[];
}

/** A distance is below 2^32, and what PostgreSQL packs into four bytes has a sign. */
export const MIDDLE = 2 ** 31;

/** Gives the chunks that have each of the terms, in the form of `Postings`. */
export const readChunks = (
  tx: Tx,
  index: number,
  terms: readonly string[],
): Promise<readonly Int32Array[]> => readLists(tx, index, terms.map(quoted));

export async function readPostings(
  tx: Tx,
  index: number,
  terms: readonly string[],
): Promise<Map<string, Postings>> {
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

/** Gives the chunks that have each of the lexemes. */
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

/** From the byte order of networks. */
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

/** How many terms `lexemes` was given, or more where one of them is there as often as it can say. */
export function termsOf(lexemes: readonly string[]): { terms: number; orMore: boolean } {
  const frequencies = new Map<string, number>();
  for (const lexeme of lexemes) {
    if (lexeme === '') continue;
    const [term = '', bit] = lexeme.split('/');
    const more = bit === undefined ? 1 : 1 << Number(bit);
    frequencies.set(term, (frequencies.get(term) ?? 0) + more);
  }
  const counts = [...frequencies.values()];
  return { terms: counts.reduce((sum, count) => sum + count, 0), orMore: counts.includes(MOST) };
}

/** Neither quotes nor backslashes are in terms. */
const quoted = (lexeme: string) => `'${lexeme}'`;
