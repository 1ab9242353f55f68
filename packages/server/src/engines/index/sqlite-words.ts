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
  readRows: (tx, collectionIds) =>
    tx
      .selectFrom('indexes')
      .select(['collection_id', 'number', 'version', 'chunks', 'terms', ...RANGE_COLUMNS])
      .where('collection_id', 'in', collectionIds)
      .orderBy('number')
      .execute(),
  scanned: () => dimensions,

  async byWords({ tx, resident }, { terms, depth, pass, weights, common }) {
    const { frequencies, counts } = weights;
    const having = terms.filter((term) => frequencies.get(term) !== 0);
    const found = await occurrences(tx, resident.index, having);
    const lists = having.map((term, i) => ({
      ...placedRuns(resident, found[i]!, counts),
      chunks: common?.frequencies.get(term),
    }));
    return bestByWords(resident, common?.totals ?? weights.totals, lists, depth, pass);
  },

  byVector: async ({ resident }, { vector, query, pass }) =>
    nearest(resident, vector, query.depth, pass),

  frequencies: ({ tx, resident }, terms, weights) =>
    frequenciesOf(terms, weights, async (unknown) => {
      const { index } = resident;
      const { counts } = weights;
      const asked = unknown.map(matchOf);
      if (!counts)
        return (await asking<{ chunks: number }>(tx, frequencySql(index), asked)).map(
          ({ chunks }) => chunks,
        );
      const lists = await distances(tx, chunksSql(index), asked);
      return lists.map((list) => placedRuns(resident, list, counts).slots.length);
    }),
});

async function all<Row>(tx: Tx, sql: string, ...parameters: readonly unknown[]): Promise<Row[]> {
  return (await tx.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows;
}

/** Asks for all terms in one statement, because each statement takes more time than a short list. */
const asking = <Row>(tx: Tx, sql: string, asked: readonly string[]): Promise<Row[]> =>
  all<Row>(tx, sql, JSON.stringify(asked));

/** Returns, for each term, a list of distances from the first number of the collection, for `placedRuns`. */
async function distances(tx: Tx, sql: string, asked: readonly string[]): Promise<number[][]> {
  if (asked.length === 0) return [];
  const rows = await asking<{ distances: string }>(tx, sql, asked);
  return rows.map((row) => JSON.parse(row.distances));
}

/** The first question about a collection on a connection to the database makes the table of occurrences. */
async function occurrences(tx: Tx, index: number, terms: readonly string[]): Promise<number[][]> {
  const read = () => distances(tx, occurrencesSql(index), terms);
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
