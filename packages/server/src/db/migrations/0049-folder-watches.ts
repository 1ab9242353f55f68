/** A row says which worker watches the folder of a connection, and what people should know of the watch. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('folder_watches')
    .addColumn('connection_id', 'text', (c) => c.primaryKey())
    .addColumn('worker', 'text', (c) => c.notNull())
    .addColumn('lease_until', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text')
    .addColumn('message', 'text')
    .addColumn('device', 'text')
    .execute();
}
