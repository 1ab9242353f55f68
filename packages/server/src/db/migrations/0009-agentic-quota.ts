/** The table counts the agentic searches of an organization in the latest hour in which it had one. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('agentic_queries')
    .addColumn('organization_id', 'text', (c) => c.primaryKey())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .execute();
}
