/** An account knows since when the issuer vouches for its e-mail (docs/accounts.md). */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('vouched_at', 'bigint').execute();
}
