/**
 * The table says what each collection's index on PostgreSQL is made of. A collection without a row gets its words
 * when the program starts (engines/index/postgres-prepare.ts), because SQL cannot cut texts into terms.
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
