/**
 * This is the embedded search index: everything is in the SQLite file and changes in the transaction of the caller.
 * Words and vectors are in the rows of the chunks; the reader searches a copy of them in memory.
 */

import type { SearchIndex } from '../ports.ts';
import { DEFAULT_BUDGET } from './budget.ts';
import { RANGE_COLUMNS } from './cosines.ts';
import { dialectOf } from './dialect.ts';
import { examinePage } from './examine.ts';
import { addToTotals, createIndexRow, dropIndexRow, touchIndex } from './index-rows.ts';
import { frequenciesInMemory, vectorsInMemory, wordsInMemory } from './memory-arms.ts';
import { createReader, type IndexStorage, type ReadRow } from './reader.ts';
import { discardRows, storedVectors, writeRows } from './rows.ts';
import type { KeptWhen } from './segment-keeper.ts';
import { createSegments } from './segments.ts';

export interface SqliteIndexOptions {
  readonly dimensions: number;
  /** All collections together may take this many bytes in memory. */
  readonly budget?: number;
  /** Copies of large collections are stored in this folder. Without it, they are not stored. */
  readonly segmentFolder?: string | undefined;
  readonly keptWhen?: KeptWhen | undefined;
}

const storageOf = (dimensions: number): IndexStorage<ReadRow> => ({
  kind: 'sqlite',
  readRows: (tx, collectionIds) =>
    tx
      .selectFrom('indexes')
      .select([
        'collection_id',
        'number',
        'version',
        'chunks',
        'terms',
        'segment',
        ...RANGE_COLUMNS,
      ])
      .where('collection_id', 'in', collectionIds)
      .orderBy('number')
      .execute(),
  parts: () => ({ dimensions, holdsWords: true }),
  byWords: async ({ resident }, question) => wordsInMemory(resident, question),
  byVector: async ({ resident }, question) => vectorsInMemory(resident, question),
  frequencies: ({ resident }, terms, weights) => frequenciesInMemory(resident, terms, weights),
});

export function createSqliteIndex(options: SqliteIndexOptions): SearchIndex {
  const { dimensions, budget = DEFAULT_BUDGET, segmentFolder, keptWhen } = options;
  const dialect = dialectOf('sqlite');
  const reader = createReader(storageOf(dimensions), {
    budget,
    keptWhen,
    segments: segmentFolder === undefined ? undefined : createSegments(segmentFolder),
  });

  return {
    async create(tx, collectionId) {
      await createIndexRow(tx, collectionId);
    },

    async write(tx, scope, entities, chunks) {
      await writeRows(tx, { dialect, dimensions }, scope, entities, chunks);
    },

    touch: touchIndex,
    vectors: (db, scope, textHashes) => storedVectors(db, dialect, scope, textHashes),

    async drop(tx, collectionId) {
      await dropIndexRow(tx, collectionId);
    },

    /** Writing leaves nothing behind. */
    maintain: async () => false,

    look: reader.look,
    warm: reader.warm,
    keepSegments: reader.keepSegments,
    residentBytes: reader.residentBytes,
    evictions: reader.evictions,
    kinds: reader.kinds,
    doctor: {
      examine: (db, collectionId, after) => examinePage(db, { collectionId, dimensions }, after),
      examineMemory: reader.compare,
      forget: reader.forget,
      async discard(tx, collectionId, numbers) {
        await discardRows(tx, dialect, collectionId, numbers);
      },
      correct: addToTotals,
    },
  };
}
