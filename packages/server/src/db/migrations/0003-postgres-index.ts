/**
 * What each collection's index on PostgreSQL is made of. Collections without a row are given their words
 * when the program starts (engines/index/postgres-forms.ts), for cutting texts into terms is no SQL.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../connect.ts';

export const up =
  (kind: DatabaseKind) =>
  async (db: Kysely<unknown>): Promise<void> => {
    if (kind === 'sqlite') return;
    await db.schema
      .createTable('index_forms')
      .addColumn('number', 'bigint', (c) => c.primaryKey())
      .addColumn('words', 'text', (c) => c.notNull())
      .addColumn('vectors', 'text', (c) => c.notNull())
      .execute();
  };
