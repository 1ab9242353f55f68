/** Finds the groups of a person, by the members that sources list. */
import type { Db } from '../db/schema.ts';

/** No user is in more groups than this. A group over the limit is ignored, which can only hide records. */
const MAX_GROUPS = 10_000;

/**
 * Returns the groups in which one of these principals is a member, directly or by another group. The members come from
 * the last complete list of each live connection of the organization. `union` drops groups that were found before, so
 * groups that contain each other do no harm.
 */
export async function groupsOf(
  db: Db,
  organizationId: string,
  members: readonly string[],
): Promise<string[]> {
  const rows = await db
    .withRecursive('held', (cte) =>
      cte
        .selectFrom('group_members')
        .innerJoin('connections', 'connections.id', 'group_members.connection_id')
        .where('connections.organization_id', '=', organizationId)
        .where('connections.deleted_at', 'is', null)
        .whereRef('group_members.list', '=', 'connections.members_list')
        .where('group_members.member', 'in', members)
        .select((eb) =>
          eb.ref('group_members.group_name').$castTo<string | null>().as('group_name'),
        )
        .union(
          // Outer joins keep their order; otherwise all memberships might be compared with all rows of `held`.
          cte
            .selectFrom('held')
            .leftJoin('group_members', 'group_members.member', 'held.group_name')
            .leftJoin('connections', (join) =>
              join
                .onRef('connections.id', '=', 'group_members.connection_id')
                .onRef('connections.members_list', '=', 'group_members.list')
                .on('connections.organization_id', '=', organizationId)
                .on('connections.deleted_at', 'is', null),
            )
            .select((eb) =>
              eb
                .case()
                .when('connections.id', 'is not', null)
                .then(eb.ref('group_members.group_name'))
                .end()
                .as('group_name'),
            ),
        ),
    )
    .selectFrom('held')
    .select('group_name')
    .where('group_name', 'is not', null)
    .$narrowType<{ group_name: string }>()
    .orderBy('group_name')
    .limit(MAX_GROUPS)
    .execute();
  return rows.map((row) => row.group_name);
}
