/**
 * Asks the full-text tables of a SQLite database, which give lists of chunks. The asker decides which of these
 * chunks count, and so the weight of a word, but FTS5's `bm25` counts every row. Therefore chunks are ranked here,
 * by the same formula; that also takes only half of the time.
 */
import { LRUCache } from 'lru-cache';
import { distinctTerms } from './askable.ts';
import {
  chunksSql,
  createOccurrencesSql,
  dropOccurrencesSql,
  frequencySql,
  matchOf,
  occurrencesSql,
} from './fts.ts';
import type { SlotTest, Weights } from './masks.ts';
import type { Resident } from './residents.ts';
import { bestByWords, placedRuns } from './word-scores.ts';

/** The functions of the reader's connection that are used here are these. */
interface ReaderConnection {
  all<Row>(sql: string, ...parameters: readonly unknown[]): Row[];
  exec(sql: string): void;
}

/** The connection keeps tables of occurrences for this many collections. */
const TABLES = 300;

export function createSqliteWords({ all, exec }: ReaderConnection) {
  const tables = new LRUCache<number, true>({
    max: TABLES,
    dispose: (_, index) => exec(dropOccurrencesSql(index)),
  });

  /** Returns a list as `placedRuns` takes it. */
  const distances = (sql: string, asked: string): number[] =>
    JSON.parse(all<{ distances: string }>(sql, asked)[0]?.distances ?? '[]');

  function occurrences(index: number, term: string): number[] {
    if (!tables.get(index)) {
      exec(createOccurrencesSql(index));
      tables.set(index, true);
    }
    return distances(occurrencesSql(index), term);
  }

  function counted(resident: Resident, term: string, { counts }: Weights): number {
    const { index } = resident;
    const asked = matchOf(term);
    if (!counts) return all<{ chunks: number }>(frequencySql(index), asked)[0]?.chunks ?? 0;
    return placedRuns(resident, distances(chunksSql(index), asked), counts).slots.length;
  }

  return {
    /** Returns the numbers of the chunks that pass, best first. */
    best(
      resident: Resident,
      terms: readonly string[],
      depth: number,
      pass: SlotTest | undefined,
      { totals, counts }: Weights,
    ): number[] {
      const lists = distinctTerms(terms).map((term) =>
        placedRuns(resident, occurrences(resident.index, term), counts),
      );
      return bestByWords(resident, totals, lists, depth, pass);
    },

    /** Returns how many of the chunks that count have the term. */
    frequency(resident: Resident, asked: string, weights: Weights): number {
      const [term] = distinctTerms([asked]);
      if (term === undefined) return 0;
      const known = weights.frequencies.get(term);
      const chunks = known ?? counted(resident, term, weights);
      if (known === undefined) weights.frequencies.set(term, chunks);
      return chunks;
    },
  };
}
