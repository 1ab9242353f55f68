/**
 * Tokens have a table of their own, so that a renewal does not wait for the commits of a sync, which lock the row of
 * the connection. `browser_sign_ins` has the newest sign-in link of each connection.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('connections').addColumn('account', 'text').execute();
  await db.schema
    .createTable('connection_tokens')
    .addColumn('connection_id', 'text', (c) => c.primaryKey())
    .addColumn('tokens', 'text')
    .addColumn('tokens_key', 'text')
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('renew_at', 'bigint')
    .addColumn('claim', 'text')
    .addColumn('claimed_until', 'bigint')
    .addColumn('sent_at', 'bigint')
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('fault', 'text')
    .addColumn('fault_kind', 'text')
    .addColumn('rest_until', 'bigint')
    .execute();
  await db.schema
    .createTable('browser_sign_ins')
    .addColumn('connection_id', 'text', (c) => c.primaryKey())
    .addColumn('redirect_uri', 'text')
    .addColumn('starts_sync', 'boolean', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('link_hash', 'text', (c) => c.notNull())
    .addColumn('link_expires_at', 'bigint', (c) => c.notNull())
    .addColumn('opened_at', 'bigint')
    .addColumn('state_hash', 'text')
    .addColumn('browser_hash', 'text')
    .addColumn('state_expires_at', 'bigint')
    .addColumn('used_at', 'bigint')
    .execute();
  const unique = (name: string, column: string) =>
    db.schema.createIndex(name).on('browser_sign_ins').column(column).unique().execute();
  await unique('browser_sign_ins_link', 'link_hash');
  await unique('browser_sign_ins_state', 'state_hash');
}
