/** Answers the operations of Jira that tell who may do what: permissions, roles, security levels and members of groups. */
import { JIRA_ROLES } from './jira-access.ts';
import type { JiraProject } from './jira-records.ts';
import { type JiraRow, refuse } from './jira-refusal.ts';
import type { JiraParts, JiraView } from './jira-view.ts';

/** A page of the members of a group has at most this many. */
const MOST_MEMBERS = 50;

export function makeJiraAccessAnswers({ world, settings, show }: JiraParts, view: JiraView) {
  const { page, findProject, findIssue } = view;
  const needAdministrator = () =>
    settings.isAdministrator ||
    refuse(
      403,
      'You are not authorized to perform this action. Administrator privileges are required.',
    );

  function members({ groupId, groupname, includeInactiveUsers = false, ...paging }: JiraRow) {
    needAdministrator();
    if (Number(paging.maxResults ?? MOST_MEMBERS) > MOST_MEMBERS)
      return refuse(400, `maxResults must be between 1 and ${MOST_MEMBERS}`);
    const group = world.groups.find(({ id, name }) => id === groupId || name === groupname);
    if (!group) return refuse(404, `The group named '${groupId ?? groupname}' does not exist`);
    const found = world.users.filter((one) => group.members.has(one.accountId));
    const { values, ...rest } = page(found, paging, (one) => one);
    const shown = values.filter((one) => one.isActive || includeInactiveUsers);
    return { ...rest, values: shown.map(show.user) };
  }

  function scheme(id: string) {
    return world.schemes.find((one) => one.id === id) ?? refuse(404, 'The scheme was not found.');
  }

  const roleId = (text: string) =>
    JIRA_ROLES.find(({ id }) => id === text)?.id ??
    refuse(404, `Can not find a project role for the id ${text}.`);
  const withGrants = (project: JiraProject, { expand = '' }: JiraRow) => {
    const { permissions: grants, ...rest } = show.permissions(project);
    return expand.includes('permissions') ? { ...rest, permissions: grants } : rest;
  };
  function permissions({ permissions: names, projectKey, projectId, issueKey, issueId }: JiraRow) {
    if (!names) refuse(400, "The 'permissions' query parameter is required.");
    const issue = (issueKey ?? issueId) ? findIssue(issueKey ?? issueId) : undefined;
    const project =
      issue?.project ??
      ((projectKey ?? projectId) ? findProject(projectKey ?? projectId) : undefined);
    const known: Record<string, () => boolean> = {
      BROWSE_PROJECTS: () =>
        project ? view.mayBrowse(project) : [...world.projects.values()].some(view.isOpen),
      ADMINISTER: () => settings.isAdministrator,
      ADMINISTER_PROJECTS: () => settings.isAdministrator,
      USER_PICKER: () => true,
    };
    const shown = String(names)
      .split(',')
      .map((key) => {
        const have = known[key] ?? refuse(400, `Unrecognized permission: ${key}`);
        return [
          key,
          { id: '1', key, name: key, type: 'PROJECT', description: '', havePermission: have() },
        ];
      });
    return { permissions: Object.fromEntries(shown) };
  }

  return (operation: string, path: readonly string[], given: JiraRow): unknown => {
    const [first = '', second = ''] = path;
    switch (operation.replace('/rest/api/3', '')) {
      case 'GET /mypermissions':
        return permissions(given);
      case 'GET /applicationrole/{key}': {
        needAdministrator();
        const group = world.products.get(first);
        return group
          ? show.product(first, group)
          : refuse(404, `The application role with key '${first}' does not exist.`);
      }
      case 'GET /project/{projectIdOrKey}/role':
        return show.roles(findProject(first));
      case 'GET /project/{projectIdOrKey}/role/{id}':
        return show.role(roleId(second), findProject(first));
      case 'GET /role':
        return JIRA_ROLES.map(({ id }) => show.role(id));
      case 'GET /role/{id}':
      case 'GET /role/{id}/actors':
        needAdministrator();
        return show.role(roleId(first));
      case 'GET /project/{projectKeyOrId}/permissionscheme':
        needAdministrator();
        return withGrants(findProject(first), given);
      case 'GET /permissionscheme/{schemeId}':
        needAdministrator();
        return withGrants(findProject(first), given);
      case 'GET /project/{projectKeyOrId}/issuesecuritylevelscheme': {
        needAdministrator();
        const { scheme: one } = findProject(first);
        return one ? show.scheme(one, true) : refuse(404, 'There is no scheme for the project.');
      }
      case 'GET /issuesecurityschemes':
        needAdministrator();
        return { issueSecuritySchemes: world.schemes.map((one) => show.scheme(one, false)) };
      case 'GET /issuesecurityschemes/{id}':
        needAdministrator();
        return show.scheme(scheme(first), true);
      case 'GET /issuesecurityschemes/{issueSecuritySchemeId}/members': {
        needAdministrator();
        const { issueSecurityLevelId: only, ...paging } = given;
        const all = scheme(first).levels.flatMap(({ id, holders }) =>
          only === undefined || [only].flat().map(String).includes(id)
            ? holders.map((holder) => ({ id, holder }))
            : [],
        );
        return page(all, paging, ({ id, holder }) => ({
          id: all.findIndex((one) => one.holder === holder) + 1,
          issueSecurityLevelId: Number(id),
          holder: show.holder(holder),
        }));
      }
      case 'GET /group/member':
        return members(given);
      default:
        throw new Error(`the fake of Jira does not serve ${operation}`);
    }
  };
}
