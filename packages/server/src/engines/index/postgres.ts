/**
 * This is the search index on PostgreSQL 15 and newer: everything is in the database and changes in the
 * transaction of the caller. postgres-forms.ts says what the index consists of.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { SearchIndex } from '../ports.ts';
import { DEFAULT_BUDGET } from './budget.ts';
import { dialectOf } from './dialect.ts';
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
import { createPostgresReader } from './postgres-reader.ts';
import {
  createIndexRow,
  dropIndexRow,
  indexNumber,
  storedVectors,
  touchIndex,
  writeRows,
} from './rows.ts';

export interface PostgresIndexOptions {
  readonly db: Kysely<Schema>;
  readonly dimensions: number;
  /** All collections together may take this many bytes in memory. */
  readonly budget?: number;
}

export function createPostgresIndex(options: PostgresIndexOptions): SearchIndex {
  const { dimensions } = options;
  const dialect = dialectOf('postgres');
  const reader = createPostgresReader({ ...options, budget: options.budget ?? DEFAULT_BUDGET });

  return {
    async create(tx, collectionId) {
      const index = await createIndexRow(tx, collectionId);
      await createForms(tx, index, await installedForms(tx), dimensions);
    },

    async write(tx, scope, entities, chunks, how) {
      const written = await writeRows(tx, { dialect, dimensions }, scope, entities, chunks, how);
      const { index, removed, first } = written;
      const forms = await formsOf(tx, index);
      await removeFromForms(tx, index, forms, removed);
      const added = chunks.map(({ terms, vector }, i) => ({ n: first + i, terms, vector }));
      await addToForms(tx, index, forms, added);
    },

    touch: touchIndex,
    vectors: (db, scope, textHashes) => storedVectors(db, dialect, scope, textHashes),

    async drop(tx, collectionId) {
      const index = await dropIndexRow(tx, collectionId);
      if (index !== undefined) await dropForms(tx, index);
    },

    maintain: (db, collectionId) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => {
          const index = await indexNumber(tx, collectionId);
          return index !== undefined && tidyForms(tx, index, await formsOf(tx, index));
        }),

    candidates: reader.candidates,
    kinds: reader.kinds,
    count: reader.count,
    statistics: reader.statistics,
    doctor: createPostgresDoctor(reader, dimensions),
    async close() {},
  };
}
