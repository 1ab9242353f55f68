/**
 * Asks the full-text tables of a SQLite database which chunks have a term, and ranks the chunks itself, by the formula
 * of FTS5's `bm25`. FTS5 would count every row, but the weight of a word must depend only on the chunks that the asker
 * may see. Ranking here also takes only half of the time.
 */
import { CompiledQuery } from 'kysely';
import type { Tx } from '../../db/schema.ts';
import { RANGE_COLUMNS } from './cosines.ts';
import {
  chunksSql,
  createOccurrencesSql,
  dropOccurrencesSql,
  frequencySql,
  isWithoutOccurrences,
  matchOf,
  OLD_OCCURRENCES,
  occurrencesSql,
} from './fts.ts';
import { frequenciesOf } from './masks.ts';
import type { IndexStorage, ReadRow } from './reader.ts';
import { nearest } from './residents.ts';
import { bestByWords, placedRuns } from './word-scores.ts';

/** A connection to the database keeps tables of occurrences for this many collections. */
const TABLES = 300;

export const sqliteStorage = (dimensions: number): IndexStorage<ReadRow> => ({
  kind: 'sqlite',
  readRow: (tx, collectionId) =>
    tx
      .selectFrom('indexes')
      .select(['number', 'version', 'chunks', 'terms', ...RANGE_COLUMNS])
      .where('collection_id', '=', collectionId)
      .executeTakeFirst(),
  scanned: () => dimensions,

  async byWords({ tx, resident }, { terms, depth, pass, weights: { totals, counts } }) {
    const lists = [];
    for (const term of terms)
      lists.push(placedRuns(resident, await occurrences(tx, resident.index, term), counts));
    return bestByWords(resident, totals, lists, depth, pass);
  },

  byVector: async ({ resident }, { vector, query, pass }) =>
    nearest(resident, vector, query.depth, pass),

  frequencies: ({ tx, resident }, terms, weights) =>
    frequenciesOf(terms, weights, async (unknown) => {
      const { index } = resident;
      const counted: number[] = [];
      for (const term of unknown) {
        const asked = matchOf(term);
        if (weights.counts) {
          const found = placedRuns(
            resident,
            await distances(tx, chunksSql(index), asked),
            weights.counts,
          );
          counted.push(found.slots.length);
        } else {
          const [row] = await all<{ chunks: number }>(tx, frequencySql(index), asked);
          counted.push(row?.chunks ?? 0);
        }
      }
      return counted;
    }),
});

async function all<Row>(tx: Tx, sql: string, ...parameters: readonly unknown[]): Promise<Row[]> {
  return (await tx.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows;
}

/** Returns a list of distances from the first number of the collection, for `placedRuns`. */
async function distances(tx: Tx, sql: string, asked: string): Promise<number[]> {
  const [row] = await all<{ distances: string }>(tx, sql, asked);
  return JSON.parse(row?.distances ?? '[]');
}

/** The first question about a collection on a connection to the database makes the table of occurrences. */
async function occurrences(tx: Tx, index: number, term: string): Promise<number[]> {
  const read = () => distances(tx, occurrencesSql(index), term);
  try {
    return await read();
  } catch (error) {
    if (!isWithoutOccurrences(error, index)) throw error;
    for (const { name } of await all<{ name: string }>(tx, OLD_OCCURRENCES, TABLES - 1))
      await all(tx, dropOccurrencesSql(name));
    await all(tx, createOccurrencesSql(index));
    return read();
  }
}
