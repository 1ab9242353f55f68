/** Finds and takes away what is wrong with the index of a SQLite database. */
import type { IndexDoctor, IndexFinding, Totals } from '../ports.ts';
import { dialectOf } from './dialect.ts';
import { endOf, examineRows, NO_PAGE, nextOf, startOf } from './examine.ts';
import { correctTotals, removeWords } from './fts.ts';
import { wordsAfter, wordTotals } from './fts-examine.ts';
import { addToTotals, discardRows, indexNumber, totalsOf } from './rows.ts';
import type { createSqliteReader } from './sqlite-reader.ts';
import { wordFindings } from './word-findings.ts';

const dialect = dialectOf('sqlite');

export const createSqliteDoctor = (
  reader: Pick<ReturnType<typeof createSqliteReader>, 'compare' | 'forget'>,
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
    const next = nextOf(page);
    if (next === null && !same(await wordTotals(db, index), await totalsOf(db, index)))
      findings.push(WRONG_TOTALS);
    return { totals: page.totals, words: words.length, vectors: page.vectors, findings, next };
  },

  examineMemory: reader.compare,
  forget: reader.forget,

  async discard(tx, collectionId, numbers) {
    const { index, totals } = await discardRows(tx, dialect, collectionId, numbers);
    await removeWords(tx, index, numbers);
    await correctTotals(tx, index, totals);
  },

  async correct(tx, collectionId, by) {
    const { index, totals } = await addToTotals(tx, collectionId, by);
    await correctTotals(tx, index, totals);
  },
});

const WRONG_TOTALS: IndexFinding = { kind: 'wrong_word_totals', n: null, entity: null };

const same = (a: Totals, b: Totals) => a.chunks === b.chunks && a.terms === b.terms;
