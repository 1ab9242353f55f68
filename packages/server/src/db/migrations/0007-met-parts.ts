/** A pull that goes on at a bookmark knows which parts it has met, beside those that were listed or lost. */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../connect.ts';

export const up =
  ({ flag }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .alterTable('job_partitions')
      .addColumn('listed', flag, (c) => c.notNull().defaultTo(sql`false`))
      .execute();
    // What earlier bookmarks did not keep cannot be known: those pulls begin again.
    await sql`delete from job_partitions`.execute(db);
    await sql`update sync_jobs set bookmark = null where bookmark is not null`.execute(db);
  };
