/** Finds and removes faults in the index of a SQLite database. */
import type { IndexDoctor } from '../ports.ts';
import { dialectOf } from './dialect.ts';
import { endOf, examineRows, NO_PAGE, nextOf, startOf } from './examine.ts';
import { removeWords } from './fts.ts';
import { wordsAfter } from './fts-examine.ts';
import type { createReader } from './reader.ts';
import { addToTotals, discardRows, indexNumber } from './rows.ts';
import { wordFindings } from './word-findings.ts';

const dialect = dialectOf('sqlite');

export const createSqliteDoctor = (
  reader: Pick<ReturnType<typeof createReader>, 'compare' | 'forget'>,
  dimensions: number,
): IndexDoctor => ({
  async examine(db, collectionId, after) {
    const index = await indexNumber(db, collectionId);
    if (index === undefined) return NO_PAGE;
    const start = startOf(after);
    const read = await wordsAfter(db, index, start);
    const of = { collectionId, index, dimensions };
    const page = await examineRows(db, of, { start, last: endOf(read) });
    const words = read.filter(({ n }) => n <= page.upTo);
    const findings = [...page.findings, ...wordFindings(page.chunks, words)];
    const { totals, vectors } = page;
    return { totals, words: words.length, vectors, findings, next: nextOf(page) };
  },

  examineMemory: reader.compare,
  forget: reader.forget,

  async discard(tx, collectionId, numbers) {
    const index = await discardRows(tx, dialect, collectionId, numbers);
    await removeWords(tx, index, numbers);
  },

  correct: addToTotals,
});
