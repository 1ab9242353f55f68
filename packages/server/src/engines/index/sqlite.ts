/**
 * This is the embedded search index: everything is in the SQLite file and changes in the transaction of the caller.
 * Words are in one FTS5 table for each collection. Vectors are in rows; the reader scans a copy of them in memory.
 */

import type { SearchIndex } from '../ports.ts';
import { DEFAULT_BUDGET } from './budget.ts';
import { dialectOf } from './dialect.ts';
import { addWords, createWords, dropWords, mergeWords, removeWords } from './fts.ts';
import { createReader } from './reader.ts';
import {
  createIndexRow,
  dropIndexRow,
  indexNumber,
  storedVectors,
  touchIndex,
  writeRows,
} from './rows.ts';
import { createSqliteDoctor } from './sqlite-doctor.ts';
import { sqliteStorage } from './sqlite-words.ts';

export interface SqliteIndexOptions {
  readonly dimensions: number;
  /** The vectors of all collections together may take this many bytes in memory. */
  readonly budget?: number;
}

export function createSqliteIndex(options: SqliteIndexOptions): SearchIndex {
  const { dimensions, budget = DEFAULT_BUDGET } = options;
  const dialect = dialectOf('sqlite');
  const reader = createReader(sqliteStorage(dimensions), { budget });

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

    maintain: (db, collectionId) =>
      db.transaction().execute(async (tx) => {
        const index = await indexNumber(tx, collectionId);
        return index !== undefined && (await mergeWords(tx, index));
      }),

    look: reader.look,
    kinds: reader.kinds,
    doctor: createSqliteDoctor(reader, dimensions),
  };
}
