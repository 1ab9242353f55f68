/** A row says which job the Idempotency-Key of a push has started. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('push_keys')
    .addColumn('connection_id', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('job_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('push_keys_key', ['connection_id', 'key'])
    .execute();
  await db.schema.createIndex('push_keys_job').on('push_keys').column('job_id').execute();
  await db.schema.createIndex('push_keys_created').on('push_keys').column('created_at').execute();
}
