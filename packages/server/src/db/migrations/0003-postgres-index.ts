/**
 * A row names the forms of a collection's index on PostgreSQL. When the program starts, it indexes the words of a
 * collection without a row (engines/index/postgres-prepare.ts), because SQL cannot split texts into terms.
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
