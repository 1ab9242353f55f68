/**
 * This is the search index on PostgreSQL 15 and newer: everything is in the database and changes in the
 * transaction of the caller. postgres-forms.ts says what the index consists of.
 */
import { together } from '../../db/pipelined.ts';
import type { SearchIndex } from '../ports.ts';
import { DEFAULT_BUDGET } from './budget.ts';
import { dialectOf } from './dialect.ts';
import { createIndexRow, dropIndexRow, indexNumber, touchIndex } from './index-rows.ts';
import { postgresStorage } from './postgres-arms.ts';
import { createPostgresDoctor } from './postgres-doctor.ts';
import {
  addToForms,
  createForms,
  dropForms,
  formsOf,
  installedForms,
  removeFromForms,
  tidyForms,
} from './postgres-forms.ts';
import { createReader } from './reader.ts';
import { storedVectors, writeRows } from './rows.ts';

export interface PostgresIndexOptions {
  readonly dimensions: number;
  /** All collections together may take this many bytes in memory. */
  readonly budget?: number;
}

export function createPostgresIndex(options: PostgresIndexOptions): SearchIndex {
  const { dimensions, budget = DEFAULT_BUDGET } = options;
  const dialect = dialectOf('postgres');
  const reader = createReader(postgresStorage(dimensions), { budget });

  return {
    async create(tx, collectionId) {
      const number = await createIndexRow(tx, collectionId);
      const index = { collectionId, number };
      await createForms(tx, index, await installedForms(tx), dimensions);
    },

    async write(tx, scope, entities, chunks) {
      // The forms are read after `writeRows` has locked the row of the index, so that they cannot change any more.
      const [{ index, removed, first }, forms] = await together([
        writeRows(tx, { dialect, dimensions }, scope, entities, chunks),
        formsOf(tx, scope.collectionId),
      ]);
      await removeFromForms(tx, index, forms, removed);
      const added = chunks.map(({ terms, vector }, i) => ({ n: first + i, terms, vector }));
      await addToForms(tx, index, forms, added);
    },

    touch: touchIndex,
    vectors: (db, scope, textHashes) => storedVectors(db, dialect, scope, textHashes),

    async drop(tx, collectionId) {
      const number = await dropIndexRow(tx, collectionId);
      if (number !== undefined) await dropForms(tx, { collectionId, number });
    },

    maintain: (db, collectionId) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => {
          const index = await indexNumber(tx, collectionId);
          return index !== undefined && tidyForms(tx, index, await formsOf(tx, collectionId));
        }),

    look: reader.look,
    warm: reader.warm,
    keepSegments: reader.keepSegments,
    residentBytes: reader.residentBytes,
    evictions: reader.evictions,
    kinds: reader.kinds,
    doctor: createPostgresDoctor(reader, dimensions),
  };
}
