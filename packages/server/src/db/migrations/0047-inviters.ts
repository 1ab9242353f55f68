/** An invitation knows the account that made it (docs/accounts.md). It is null for those that were made before. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('invitations').addColumn('invited_by', 'text').execute();
}
