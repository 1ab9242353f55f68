/** The service makes backups into a folder. A row says which file lies there, or why there is none. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backups')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('trigger', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('size_bytes', 'bigint')
    .addColumn('table_count', 'integer')
    .addColumn('row_count', 'bigint')
    .addColumn('digest', 'text')
    .addColumn('error', 'text')
    .addColumn('lease_token', 'text')
    .addColumn('check_status', 'text')
    .addColumn('check_ended_at', 'bigint')
    .addColumn('check_error', 'text')
    .execute();
}
