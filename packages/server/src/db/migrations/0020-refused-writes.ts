/**
 * The table has one row for the whole database. While the database refuses writes, the row says why. Every process and
 * every machine that uses this database can read it there.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (types: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('refused_writes')
      .addColumn('reason', 'text')
      .addColumn('since', 'bigint')
      .addColumn('trial', types.bytes)
      .addColumn('probed_at', 'bigint')
      .execute();
    await sql`insert into refused_writes (reason) values (null)`.execute(db);
  };
