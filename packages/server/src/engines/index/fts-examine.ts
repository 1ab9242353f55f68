/**
 * Says how many terms FTS5 has of each chunk. FTS5 keeps the length of each row in a table of its own, which is
 * read here: https://sqlite.org/fts5.html#fts5_data_structures
 */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { EXAMINED } from './examine.ts';
import type { WordsRow } from './word-findings.ts';

/** Returns the rows in the order of their numbers. */
export async function wordsAfter(db: Db, index: number, after: number): Promise<WordsRow[]> {
  const { rows } = await sql<{ n: number; sz: Uint8Array }>`
    select id as n, sz from ${sql.id(`fts_${index}_docsize`)}
    where id > ${after} order by id limit ${sql.lit(EXAMINED)}`.execute(db);
  return rows.map(({ n, sz }) => ({ n, terms: readVarints(sz)[0] ?? 0 }));
}

/**
 * Reads numbers of up to 2^53 that have seven bits in a byte, the highest bits first; the last byte of each number
 * is below 128.
 */
function readVarints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte % 128);
    if (byte >= 128) continue;
    values.push(value);
    value = 0;
  }
  return values;
}
