/** Finds and takes away what is wrong with the index of a PostgreSQL database. */
import type { IndexDoctor, IndexFinding } from '../ports.ts';
import { dialectOf } from './dialect.ts';
import { endOf, examineRows, NO_PAGE } from './examine.ts';
import { formFindings, formRows } from './postgres-examine.ts';
import { formsOf, removeFromForms } from './postgres-forms.ts';
import type { createPostgresReader } from './postgres-reader.ts';
import { addToTotals, discardRows, endNumber, firstNumber, indexNumber } from './rows.ts';

const dialect = dialectOf('postgres');

export const createPostgresDoctor = (
  reader: Pick<ReturnType<typeof createPostgresReader>, 'compare' | 'forget'>,
  dimensions: number,
): IndexDoctor => ({
  async examine(db, collectionId, after) {
    const index = await indexNumber(db, collectionId);
    if (index === undefined) return NO_PAGE;
    const start = after ?? firstNumber(index) - 1;
    const last = endNumber(index) - 1;
    const read = await formRows(db, index, await formsOf(db, index), start);
    const limit = Math.min(...read.map(({ rows }) => endOf(rows, last)));
    const page = await examineRows(db, dimensions, { start, last: limit });
    const { chunks, undirected, upTo, totals, vectors, findings } = page;
    const forms = read.map(({ rows, ...form }) => ({
      ...form,
      rows: rows.filter(({ n }) => n <= upTo),
    }));
    return {
      totals,
      vectors,
      words: forms[0]?.rows.length ?? 0,
      findings: distinct([
        ...findings,
        ...forms.flatMap((form) => [...formFindings(chunks, form, undirected)]),
      ]),
      next: upTo === last ? null : upTo,
    };
  },

  examineMemory: reader.compare,
  forget: reader.forget,

  async discard(tx, collectionId, numbers) {
    const { index } = await discardRows(tx, dialect, collectionId, numbers);
    await removeFromForms(tx, index, await formsOf(tx, index), numbers);
  },

  async correct(tx, collectionId, by) {
    await addToTotals(tx, collectionId, by);
  },
});

/** Several tables may lack, or have too many of, the same. */
const distinct = (findings: readonly IndexFinding[]): IndexFinding[] => [
  ...new Map(findings.map((finding) => [`${finding.kind} ${finding.n}`, finding])).values(),
];
