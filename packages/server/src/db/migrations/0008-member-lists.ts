/**
 * The groups of a connection by list: a sync writes a new one beside that which is read, and says at its
 * end that it is the one. So a list of any length takes effect at one instant, and no transaction is long.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('connections')
    .addColumn('members_list', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // SQLite cannot change the primary key of a table.
  await db.schema
    .createTable('listed_members')
    .addColumn('connection_id', 'text', (c) => c.notNull())
    .addColumn('list', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('group_name', 'text', (c) => c.notNull())
    .addColumn('member', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('listed_members_pk', ['connection_id', 'list', 'member', 'group_name'])
    .execute();
  await sql`insert into listed_members (connection_id, group_name, member)
    select connection_id, group_name, member from group_members`.execute(db);
  await db.schema.dropTable('group_members').execute();
  await db.schema.alterTable('listed_members').renameTo('group_members').execute();
  await db.schema
    .createIndex('group_members_member')
    .on('group_members')
    .columns(['member', 'connection_id', 'list', 'group_name'])
    .execute();
}
