/** How much an organization was used on each day, in UTC. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_days')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('searches', 'bigint', (c) => c.notNull())
    .addColumn('agentic_searches', 'bigint', (c) => c.notNull())
    .addColumn('records', 'bigint')
    .addPrimaryKeyConstraint('usage_days_key', ['organization_id', 'day'])
    .execute();
  await db.schema.createIndex('usage_days_day').on('usage_days').column('day').execute();
}
