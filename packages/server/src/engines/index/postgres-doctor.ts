/** Finds and removes faults in the index of a PostgreSQL database. */
import type { IndexDoctor, IndexFinding } from '../ports.ts';
import { dialectOf } from './dialect.ts';
import { examineRows, NO_PAGE, nextOf, startOf } from './examine.ts';
import { addToTotals, indexNumber } from './index-rows.ts';
import { formFindings, formRows } from './postgres-examine.ts';
import { formsOf, removeFromForms } from './postgres-forms.ts';
import type { createReader } from './reader.ts';
import { discardRows } from './rows.ts';

const dialect = dialectOf('postgres');

export const createPostgresDoctor = (
  reader: Pick<ReturnType<typeof createReader>, 'compare' | 'forget'>,
  dimensions: number,
): IndexDoctor => ({
  async examine(db, collectionId, after) {
    const index = await indexNumber(db, collectionId);
    if (index === undefined) return NO_PAGE;
    const start = startOf(after);
    const read = await formRows(db, index, await formsOf(db, collectionId), start);
    const of = { collectionId, index, dimensions };
    const page = await examineRows(db, of, { start, last: read.upTo });
    return {
      totals: page.totals,
      vectors: page.vectors,
      words: page.words,
      findings: distinct([...page.findings, ...formFindings(page, read)]),
      next: nextOf(page),
    };
  },

  examineMemory: reader.compare,
  forget: reader.forget,

  async discard(tx, collectionId, numbers) {
    const index = await discardRows(tx, dialect, collectionId, numbers);
    await removeFromForms(tx, index, await formsOf(tx, collectionId), numbers);
  },

  correct: addToTotals,
});

/** Several tables may have the same fault, which is reported once. */
const distinct = (findings: readonly IndexFinding[]): IndexFinding[] => [
  ...new Map(findings.map((finding) => [`${finding.kind} ${finding.n}`, finding])).values(),
];
