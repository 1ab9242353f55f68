/** Auth providers keep the credentials of connections (docs/auth-providers.md). */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('auth_providers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('readable_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('short_name', 'text', (c) => c.notNull())
    .addColumn('credentials', 'text', (c) => c.notNull())
    .addColumn('credentials_key', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('modified_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .addColumn('modified_by_email', 'text', (c) => c.notNull())
    .addUniqueConstraint('auth_providers_name', ['organization_id', 'readable_id'])
    .execute();
  await db.schema.alterTable('connections').addColumn('auth_provider_id', 'text').execute();
  await db.schema
    .createIndex('connections_auth_provider')
    .on('connections')
    .column('auth_provider_id')
    .execute();
}
