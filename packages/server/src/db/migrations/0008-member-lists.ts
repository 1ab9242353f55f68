/**
 * This migration keeps the groups of a connection by list. A sync writes a new list beside the list that is used, and
 * at its end lets the new list be used instead. So a list of any length takes effect at one instant, and every
 * transaction is short.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('connections')
    .addColumn('members_list', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // A new table takes the place of the old one because SQLite cannot change the primary key of a table.
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
