/**
 * Records may be below others, such as files below their message. The columns say below which record one is, and at
 * which version of a record everything below it was stored.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['parent', 'below_version'])
    await db.schema.alterTable('entities').addColumn(column, 'text').execute();
  await sql`create index entities_parent on entities (connection_id, parent)
    where parent is not null`.execute(db);
}
