/** Answers the operations of Microsoft Graph for people and groups. */
import type { GraphGroup, GraphUser } from './graph-directory.ts';
import {
  entry,
  type GraphAsked,
  type GraphHandlers,
  type GraphParts,
  ok,
  oneOf,
} from './graph-handlers.ts';
import { filterOf, selected } from './graph-query.ts';
import { type GraphRow, noObject, refuse } from './graph-refusal.ts';

const OF_PEOPLE = ['User.Read.All', 'Directory.Read.All'];
const OF_GROUPS = ['GroupMember.Read.All', 'Group.Read.All', 'Directory.Read.All'];
const OF_LISTS = ['$select', '$top', '$filter', '$count'];

export function makeDirectoryAnswers({ directory, settings, pager }: GraphParts): GraphHandlers {
  const { users, groups } = directory;
  const has = (permissions: readonly string[]) =>
    permissions.some((one) => settings.permissions.has(one));
  const rowOf = (user: GraphUser, select: readonly string[] | null) =>
    select ? selected(directory.selectableOf(user), select) : directory.userRow(user);
  const groupAt = (id: string): GraphGroup => groups.get(id) ?? noObject(id);

  /** Without the permission for people, an app sees that there is a member, and not who it is. */
  function memberRow(id: string, select: readonly string[] | null): GraphRow {
    const user = users.get(id);
    if (!user) {
      const row = selected(directory.groupRow(groupAt(id)), select);
      return { '@odata.type': '#microsoft.graph.group', ...row };
    }
    const row = rowOf(user, select);
    const known = has(OF_PEOPLE)
      ? row
      : Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            name === 'id' ? value : Array.isArray(value) ? [] : null,
          ]),
        );
    return { '@odata.type': '#microsoft.graph.user', ...known };
  }

  const listing = (
    idsOf: (group: GraphGroup) => Iterable<string>,
    isOfKind: (id: string) => boolean = () => true,
  ) => ({
    part: 'directory' as const,
    needs: OF_GROUPS,
    answer({ request, names: [id = ''] }: GraphAsked) {
      const group = groupAt(id);
      const known = (one: string) => (users.has(one) || groups.has(one)) && isOfKind(one);
      return ok(
        pager.list(request, {
          allowed: { query: ['$select', '$top', '$count'] },
          expired: '400 Directory_ExpiredPageToken',
          rows: () =>
            [...idsOf(group)].filter(known).map((key) => ({
              key,
              row: ({ select }) => memberRow(key, select),
            })),
        }),
      );
    },
  });
  const members = ({ members: ids }: GraphGroup) => ids;
  const transitive = (group: GraphGroup) => directory.allMembersOf(group);
  const isUser = (id: string) => users.has(id);
  const isGroup = (id: string) => groups.has(id);
  const OF_GROUP = 'GET /v1.0/groups/{group-id}';

  return {
    'GET /v1.0/me': {
      part: 'directory',
      needs: ['User.Read', ...OF_PEOPLE],
      answer: ({ request, me }) =>
        oneOf(request, ({ select }) =>
          me
            ? rowOf(me, select)
            : refuse(
                '400 BadRequest',
                '/me request is only valid with delegated authentication flow.',
              ),
        ),
    },
    'GET /v1.0/users': {
      part: 'directory',
      needs: OF_PEOPLE,
      answer: ({ request }) =>
        ok(
          pager.list(request, {
            allowed: { query: OF_LISTS },
            expired: '400 Directory_ExpiredPageToken',
            rows: ({ filter }) =>
              [...users.values()]
                .filter((user) => filterOf(filter)(directory.selectableOf(user)))
                .map((user) => ({ key: user.id, row: ({ select }) => rowOf(user, select) })),
          }),
        ),
    },
    'GET /v1.0/users/{user-id}': {
      part: 'directory',
      needs: OF_PEOPLE,
      answer: ({ request, names: [key = ''] }) => {
        const user = directory.userOf(key) ?? noObject(key);
        return oneOf(request, ({ select }) => rowOf(user, select));
      },
    },
    'GET /v1.0/organization': {
      part: 'directory',
      needs: ['Organization.Read.All', 'User.Read', 'Directory.Read.All'],
      answer: ({ request }) =>
        ok(
          pager.list(request, {
            allowed: { query: ['$select'] },
            rows: () => [
              entry(directory.tenant, () => ({ id: directory.tenant, displayName: 'Acme' })),
            ],
          }),
        ),
    },
    'GET /v1.0/groups': {
      part: 'directory',
      needs: OF_GROUPS,
      answer: ({ request }) =>
        ok(
          pager.list(request, {
            allowed: { query: OF_LISTS },
            expired: '400 Directory_ExpiredPageToken',
            rows: ({ filter }) =>
              [...groups.values()]
                .map((group) => directory.groupRow(group))
                .filter(filterOf(filter))
                .map((row) => entry(row.id, () => row)),
          }),
        ),
    },
    [OF_GROUP]: {
      part: 'directory',
      needs: OF_GROUPS,
      answer: ({ request, names: [id = ''] }) => oneOf(request, directory.groupRow(groupAt(id))),
    },
    [`${OF_GROUP}/members`]: listing(members),
    [`${OF_GROUP}/members/microsoft.graph.user`]: listing(members, isUser),
    [`${OF_GROUP}/members/microsoft.graph.group`]: listing(members, isGroup),
    [`${OF_GROUP}/owners`]: listing(({ owners }) => owners),
    [`${OF_GROUP}/transitiveMembers`]: listing(transitive),
    [`${OF_GROUP}/transitiveMembers/microsoft.graph.user`]: listing(transitive, isUser),
  };
}
