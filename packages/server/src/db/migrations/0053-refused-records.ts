/** The table holds the records whose files could not be read, so that the next syncs need not read these files again. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('refused_records')
    .addColumn('connection_id', 'text', (c) => c.notNull())
    .addColumn('entity_id', 'text', (c) => c.notNull())
    .addColumn('entity_type', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('read_by', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('hint', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('refused_records_pk', ['connection_id', 'entity_id'])
    .execute();
  await db.schema
    .createIndex('refused_records_created')
    .on('refused_records')
    .column('created_at')
    .execute();
}
