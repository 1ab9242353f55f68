/** Answers the operations of Jira from a site, for one user. */
import type { AtlassianUser } from './atlassian-people.ts';
import { QueryRefusal } from './atlassian-query.ts';
import { makeJiraAccessAnswers } from './jira-access-answers.ts';
import { JiraRefusal, type JiraRow, refuse } from './jira-refusal.ts';
import { makeJiraSearch } from './jira-search.ts';
import { type JiraParts, makeJiraView } from './jira-view.ts';

export function makeJiraAnswers(parts: JiraParts, me: AtlassianUser | undefined) {
  const { world, show, now } = parts;
  const view = makeJiraView(parts, me);
  const { page, findProject, findIssue, commentsOf } = view;
  const search = makeJiraSearch(parts, view, me);
  const accessAnswerTo = makeJiraAccessAnswers(parts, view);

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
        return search(given);
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
      case 'GET /user': {
        const user = world.users.find(({ accountId }) => accountId === given.accountId);
        return user
          ? show.user(user)
          : refuse(404, `Specified user does not exist or you do not have required permissions`);
      }
      case 'GET /users/search':
        return page(world.users, given, show.user).values;
      default:
        return accessAnswerTo(operation, path, given);
    }
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
