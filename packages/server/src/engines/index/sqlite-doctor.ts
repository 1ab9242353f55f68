/** Finds and removes faults in the index of a SQLite database. */
import type { IndexDoctor } from '../ports.ts';
import { dialectOf } from './dialect.ts';
import { examineRows, NO_PAGE, nextOf, startOf, TO } from './examine.ts';
import type { createReader } from './reader.ts';
import { addToTotals, discardRows, indexNumber } from './rows.ts';

const dialect = dialectOf('sqlite');

export const createSqliteDoctor = (
  reader: Pick<ReturnType<typeof createReader>, 'compare' | 'forget'>,
  dimensions: number,
): IndexDoctor => ({
  async examine(db, collectionId, after) {
    const index = await indexNumber(db, collectionId);
    if (index === undefined) return NO_PAGE;
    const of = { collectionId, index, dimensions };
    const page = await examineRows(db, of, { start: startOf(after), last: TO });
    const { totals, words, vectors, findings } = page;
    return { totals, words, vectors, findings, next: nextOf(page) };
  },

  examineMemory: reader.compare,
  forget: reader.forget,

  async discard(tx, collectionId, numbers) {
    await discardRows(tx, dialect, collectionId, numbers);
  },

  correct: addToTotals,
});
