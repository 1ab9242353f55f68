/**
 * A connection knows when its list of group members was completed, so that incremental syncs read a new one once a day.
 * The lists of older connections may be of any age, so that their next sync reads the members.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('connections').addColumn('members_read_at', 'bigint').execute();
}
