/** Shows roles, permissions and security levels of a site of Jira as its answers have them. */
import type { AtlassianGroup } from './atlassian-people.ts';
import { JIRA_ROLES } from './jira-access.ts';
import type { JiraHolder, JiraLevel, JiraProject, JiraScheme } from './jira-records.ts';
import type { JiraWorld } from './jira-world.ts';

/** `self` returns the address of a path of the API. */
export function makeJiraAccessShapes(world: JiraWorld, self: (path: string) => string) {
  const show = {
    roles: ({ id }: JiraProject) =>
      Object.fromEntries(
        JIRA_ROLES.map((role) => [role.name, self(`project/${id}/role/${role.id}`)]),
      ),
    role: (id: string, project?: JiraProject) => ({
      self: self(`${project ? `project/${project.id}/` : ''}role/${id}`),
      name: JIRA_ROLES.find((one) => one.id === id)?.name ?? '',
      id: Number(id),
      ...(project && { actors: (project.roles.get(id) ?? []).map(show.actor) }),
    }),
    actor({ type, value = '' }: JiraHolder, i: number) {
      if (type === 'group') {
        const { name, id } = world.groupOf(value);
        return {
          id: 10_100 + i,
          displayName: name,
          type: 'atlassian-group-role-actor',
          actorGroup: { name, displayName: name, groupId: id },
        };
      }
      const user = world.users.find(({ accountId }) => accountId === value);
      return {
        id: 10_100 + i,
        displayName: user?.name ?? '',
        type: 'atlassian-user-role-actor',
        actorUser: { accountId: value },
      };
    },
    product: (key: string, { name, id }: AtlassianGroup) => ({
      key,
      name: key,
      groups: [name],
      groupDetails: [{ name, groupId: id, self: self(`group?groupId=${id}`) }],
    }),
    /** Groups have their name as parameter, and their id as value. */
    holder: ({ type, value }: JiraHolder) => ({
      type,
      ...(value !== undefined && {
        parameter: type === 'group' ? world.groupOf(value).name : value,
        value,
      }),
    }),
    permissions: ({ id, browse }: JiraProject) => ({
      self: self(`permissionscheme/${id}`),
      id: Number(id),
      name: `Permissions of ${id}`,
      permissions: [
        ...browse.map((holder) => ['BROWSE_PROJECTS', holder] as const),
        ['CREATE_ISSUES', { type: 'applicationRole' }] as const,
      ].map(([permission, holder], i) => ({
        id: Number(id) * 100 + i,
        self: self(`permissionscheme/${id}/permission/${i}`),
        holder: show.holder(holder),
        permission,
      })),
    }),
    scheme: ({ id, name, levels }: JiraScheme, withLevels: boolean) => ({
      self: self(`issuesecurityschemes/${id}`),
      id: Number(id),
      name,
      ...(withLevels && { levels: levels.map(show.level) }),
    }),
    level: ({ id, name }: JiraLevel) => ({ self: self(`securitylevel/${id}`), id, name }),
  };
  return show;
}
