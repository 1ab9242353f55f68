/** Nothing reads when an entry of the queue was made: `seq` gives the order, and `run_at` says when it is due. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').dropColumn('created_at').execute();
}
