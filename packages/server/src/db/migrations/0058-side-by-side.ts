/**
 * Processes of two versions may use one database side by side. Each says which migrations it knows, and each additive
 * migration says that older versions may go on after it (db/side-by-side.ts).
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('additive_migrations')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .execute();
  await db.schema
    .createTable('processes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('roles', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('newest_migration', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('alive_until', 'bigint', (c) => c.notNull())
    .execute();
}
