/** Says who may browse the projects of a site of Jira, and who sees their issues and comments. */
import { must } from '../../util.ts';
import type { AtlassianGroup, AtlassianUser, makeAtlassianPeople } from './atlassian-people.ts';
import type { JiraComment, JiraHolder, JiraIssue, JiraProject } from './jira-records.ts';

export const JIRA_ROLES = [
  { id: '10002', name: 'Administrators' },
  { id: '10003', name: 'Developers' },
] as const;

interface JiraAccessParts {
  readonly people: ReturnType<typeof makeAtlassianPeople>;
  readonly issues: ReadonlyMap<string, JiraIssue>;
  /** The key is that of a product, which members of the group may use. */
  readonly products: ReadonlyMap<string, AtlassianGroup>;
}

export function makeJiraAccess({ people, issues, products }: JiraAccessParts) {
  /** Says whether the holder is this user, in the project and for the issue. Undefined is an anonymous user. */
  function holds(
    { type, value = '' }: JiraHolder,
    user: AtlassianUser | undefined,
    { project, issue }: { project: JiraProject; issue?: JiraIssue | undefined },
  ): boolean {
    if (type === 'anyone') return true;
    if (!user) return false;
    const { accountId } = user;
    switch (type) {
      case 'applicationRole':
        return value === '' || (products.get(value)?.members.has(accountId) ?? false);
      case 'group':
        return people.isIn(value, user);
      case 'user':
        return value === accountId;
      case 'projectRole':
        return (project.roles.get(value) ?? []).some((one) => holds(one, user, { project, issue }));
      case 'projectLead':
        return project.lead === user;
      case 'reporter':
        return issue?.reporter === user;
      case 'assignee':
        return issue?.assignee === user;
    }
  }

  const canBrowse = (
    user: AtlassianUser | undefined,
    project: JiraProject,
    issue?: JiraIssue,
  ): boolean => project.browse.some((one) => holds(one, user, { project, issue }));
  function canSee(user: AtlassianUser | undefined, issue: JiraIssue): boolean {
    const { project, level } = issue;
    return (
      project.state !== 'deleted' &&
      canBrowse(user, project, issue) &&
      (level === null || level.holders.some((one) => holds(one, user, { project, issue })))
    );
  }
  function canSeeComment(
    user: AtlassianUser | undefined,
    { issueId, visibility }: JiraComment,
  ): boolean {
    if (!visibility) return true;
    const { project } = must(issues.get(issueId));
    const type = visibility.type === 'role' ? 'projectRole' : 'group';
    return holds({ type, value: visibility.value }, user, { project });
  }

  return { canBrowse, canSee, canSeeComment };
}
