/** Answers the operations of Jira from a site, for one user. */
import type { AtlassianUser } from './atlassian-people.ts';
import { QueryRefusal } from './atlassian-query.ts';
import type { JiraProject } from './jira-records.ts';
import { JiraRefusal, type JiraRow, refuse } from './jira-refusal.ts';
import { type JiraParts, makeJiraView } from './jira-view.ts';
import { JIRA_ROLES } from './jira-world.ts';

/** A page of the members of a group has at most this many. */
const MOST_MEMBERS = 50;

export function makeJiraAnswers(parts: JiraParts, me: AtlassianUser | undefined) {
  const { world, settings, show, now } = parts;
  const view = makeJiraView(parts, me);
  const { page, findProject, findIssue, commentsOf } = view;
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

  function answerOf(operation: string, path: readonly string[], given: JiraRow): unknown {
    const [first = '', second = ''] = path;
    switch (operation.replace('/rest/api/3', '')) {
      case 'GET /myself':
        return me
          ? show.user(me)
          : refuse(401, 'Client must be authenticated to access this resource.');
      case 'GET /serverInfo':
        return {
          baseUrl: 'https://acme.atlassian.net',
          version: '1001.0.0-SNAPSHOT',
          versionNumbers: [1001, 0, 0],
          deploymentType: 'Cloud',
          buildNumber: 100_300,
          serverTime: new Date(now()).toISOString().replace('Z', '+0000'),
          serverTitle: 'Jira',
          defaultLocale: { locale: 'en_US' },
        };
      case 'GET /search/jql':
      case 'POST /search/jql':
        return view.search(given);
      case 'GET /project/search':
        return view.projects(given);
      case 'GET /project/{projectIdOrKey}':
        return show.wholeProject(findProject(first));
      case 'GET /issue/{issueIdOrKey}':
        return view.shownIssue(findIssue(first), { fields: ['*all'], ...given });
      case 'GET /issue/{issueIdOrKey}/comment':
        return view.comments(findIssue(first), given);
      case 'GET /issue/{issueIdOrKey}/comment/{id}': {
        const one = commentsOf(findIssue(first)).find(({ id }) => id === second);
        return one
          ? show.comment(one)
          : refuse(404, `Can not find a comment for the id: ${second}.`);
      }
      case 'GET /attachment/{id}': {
        const { id, ...file } = show.attachment(attachmentAt(first));
        return { ...file, id: Number(id) };
      }
      case 'GET /field':
        return [
          {
            id: 'summary',
            key: 'summary',
            name: 'Summary',
            custom: false,
            clauseNames: ['summary'],
          },
          { id: 'customfield_10016', key: 'customfield_10016', name: 'Story Points', custom: true },
        ];
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
      case 'GET /user': {
        const user = world.users.find(({ accountId }) => accountId === given.accountId);
        return user
          ? show.user(user)
          : refuse(404, `Specified user does not exist or you do not have required permissions`);
      }
      case 'GET /users/search':
        return page(world.users, given, show.user).values;
      default:
        throw new Error(`the fake of Jira does not serve ${operation}`);
    }
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
  function attachmentAt(id: string) {
    const file = world.attachments.get(id);
    if (!file || !view.issueAt(file.issueId))
      return refuse(404, `The attachment with id '${id}' does not exist`);
    return file;
  }
  return {
    attachmentAt,
    /** Throws a JiraRefusal. */
    answerTo(operation: string, path: readonly string[], given: JiraRow): unknown {
      try {
        return answerOf(operation, path, given);
      } catch (error) {
        if (error instanceof QueryRefusal) throw new JiraRefusal(400, error.message);
        throw error;
      }
    },
  };
}
