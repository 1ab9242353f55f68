/** A sign-in in a browser that has failed says why to those who asked for its link, too. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['failure_code', 'failure_message'])
    await db.schema.alterTable('browser_sign_ins').addColumn(column, 'text').execute();
}
