/**
 * Reads who may see which records of a connection, so that two connections to the same company can be compared. Texts and
 * times are left out, because a service does not always tell when they change: the text of a page names another one, for
 * example, that nobody shares any more.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../../db/schema.ts';

export async function contentsOf(db: Kysely<Schema>, connectionId: string) {
  const entities = await db
    .selectFrom('entities')
    .select(['entity_id', 'entity_type', 'name', 'url', 'breadcrumbs', 'viewers', 'is_public'])
    .where('connection_id', '=', connectionId)
    .orderBy('entity_id')
    .execute();
  const members = await db
    .selectFrom('group_members')
    .innerJoin('connections', (join) =>
      join
        .onRef('connections.id', '=', 'group_members.connection_id')
        .onRef('connections.members_list', '=', 'group_members.list'),
    )
    .select(['group_name', 'member'])
    .where('connection_id', '=', connectionId)
    .orderBy('group_name')
    .orderBy('member')
    .execute();
  return { entities, members };
}
