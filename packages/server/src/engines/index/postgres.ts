/**
 * The search index on PostgreSQL 15 and newer: everything is in the database and changes in the
 * caller's transaction. Words are under a GIN index, vectors in rows; the reader scans a copy in memory.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { SearchIndex } from '../ports.ts';
import { DEFAULT_BUDGET } from './budget.ts';
import { dialectOf } from './dialect.ts';
import { createPostgresReader } from './postgres-reader.ts';
import { addWords, createWords, dropWords, removeWords, tidyWords } from './postgres-words.ts';
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
  /** Bytes that all collections may take in memory together. */
  readonly budget?: number;
}

export function createPostgresIndex(options: PostgresIndexOptions): SearchIndex {
  const { dimensions } = options;
  const dialect = dialectOf('postgres');
  const reader = createPostgresReader({ ...options, budget: options.budget ?? DEFAULT_BUDGET });

  return {
    async create(tx, collectionId) {
      await createWords(tx, await createIndexRow(tx, collectionId));
    },

    async write(tx, scope, entities, chunks) {
      const written = await writeRows(tx, { dialect, dimensions }, scope, entities, chunks);
      const { index, removed, first } = written;
      await removeWords(tx, index, removed);
      await addWords(
        tx,
        index,
        first,
        chunks.map((chunk) => chunk.terms),
      );
    },

    touch: touchIndex,
    vectors: (db, scope, textHashes) => storedVectors(db, dialect, scope, textHashes),

    async drop(tx, collectionId) {
      const index = await dropIndexRow(tx, collectionId);
      if (index !== undefined) await dropWords(tx, index);
    },

    async maintain(db, collectionId) {
      const index = await indexNumber(db, collectionId);
      if (index !== undefined) await tidyWords(db, index);
      return false;
    },

    candidates: reader.candidates,
    statistics: reader.statistics,
    async close() {},
  };
}
