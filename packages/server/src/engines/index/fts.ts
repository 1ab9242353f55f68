/**
 * The words of one collection are in a full-text table of their own, so that statistics do not mix between
 * collections, and one statement removes the words of a collection.
 *
 * The table stores no text (`content=''`), but only which terms (model/terms.ts) each chunk has. Terms are letters
 * and digits in lower case, and the `ascii` tokenizer makes exactly one token of each: it splits at nothing but
 * ASCII punctuation and folds nothing but ASCII capitals. So a chunk's length in tokens is its number of terms,
 * and no query can reach the grammar of MATCH, because every term is quoted.
 *
 * FTS5's own totals of the table also count deleted chunks. Nothing reads them: scores come from the chunks that
 * the asker may see (word-scores.ts).
 *
 * We merge segments ourselves (`mergeWords`), because an automatic merge takes time inside the commit in which it
 * happens. A segment of which 20 % is deleted takes part in our merges; deletions alone never cause one.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import { chunked } from '../../util.ts';
import { firstNumber } from './numbers.ts';

const SETTINGS = { automerge: 0, deletemerge: 20, crisismerge: 1000, usermerge: 4 } as const;
/** A merge step handles this many pages, which takes about 5 ms. */
const MERGED_PAGES = 32;
const BATCH = 500;

const table = (index: number) => sql.id(`fts_${index}`);

export async function createWords(tx: Tx, index: number): Promise<void> {
  const fts = table(index);
  await sql`create virtual table ${fts} using fts5(
    text, content='', contentless_delete=1, tokenize='ascii')`.execute(tx);
  for (const [name, value] of Object.entries(SETTINGS))
    await sql`insert into ${fts}(${fts}, rank) values (${name}, ${sql.lit(value)})`.execute(tx);
}

export async function dropWords(tx: Tx, index: number): Promise<void> {
  await sql`drop table ${table(index)}`.execute(tx);
}

export async function removeWords(
  tx: Tx,
  index: number,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  await sql`delete from ${table(index)}
    where rowid in (select value from json_each(${JSON.stringify(numbers)}))`.execute(tx);
}

/** Adds the terms of chunks whose numbers follow each other. */
export async function addWords(
  tx: Tx,
  index: number,
  first: number,
  terms: readonly (readonly string[])[],
): Promise<void> {
  let at = first;
  for (const batch of chunked(terms, BATCH)) {
    const texts = JSON.stringify(batch.map((words) => words.join(' ')));
    await sql`insert into ${table(index)}(rowid, text)
      select cast(${at} as integer) + key, value from json_each(${texts})`.execute(tx);
    at += batch.length;
  }
}

/** Performs one short merge. Returns whether there may be more to do. */
export async function mergeWords(tx: Tx, index: number): Promise<boolean> {
  const fts = table(index);
  const before = await totalChanges(tx);
  await sql`insert into ${fts}(${fts}, rank) values ('merge', ${sql.lit(MERGED_PAGES)})`.execute(
    tx,
  );
  // The statement itself counts as one change. https://sqlite.org/fts5.html#the_merge_command
  return (await totalChanges(tx)) - before >= 2;
}

async function totalChanges(db: Db): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
}

export const matchOf = (term: string): string => `"${term}"`;
/** The parameter of this statement and of those below is a JSON list, and each of its elements gets a row, in order. */
export const frequencySql = (index: number): string =>
  `select (select count(*) from fts_${index} where fts_${index} match asked.value) as chunks
   from json_each(?) as asked order by asked.key`;

/**
 * The statement returns the chunks that have a term, in order, as distances from the first number of the collection. It
 * returns them as one JSON text, because a row for each chunk would take most of the time.
 */
export const chunksSql = (index: number): string =>
  `select (select json_group_array(rowid - ${firstNumber(index)})
     from fts_${index} where fts_${index} match asked.value) as distances
   from json_each(?) as asked order by asked.key`;

/**
 * The statement makes a table with each occurrence of a term. The table exists only for this connection to the
 * database: https://sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
 */
export const createOccurrencesSql = (index: number): string =>
  `create virtual table temp.occurrences_${index} using fts5vocab(main, fts_${index}, instance)`;
/**
 * The statement returns the names of the tables of occurrences, except of the newest ones; its parameter is the number
 * of those.
 */
export const OLD_OCCURRENCES = `select name from temp.sqlite_schema where name glob 'occurrences_*'
  order by rowid desc limit -1 offset ?`;
export const dropOccurrencesSql = (name: string): string => `drop table temp.${name}`;
export const isWithoutOccurrences = (error: unknown, index: number): boolean =>
  error instanceof Error && error.message === `no such table: temp.occurrences_${index}`;
/**
 * The statement returns the chunks that have a term in the form of `chunksSql`, but each chunk as often as it has the
 * term.
 */
export const occurrencesSql = (index: number): string =>
  `select (select json_group_array(doc - ${firstNumber(index)})
     from temp.occurrences_${index} where term = asked.value) as distances
   from json_each(?) as asked order by asked.key`;
