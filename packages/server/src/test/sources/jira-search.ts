/** Answers searches of issues of Jira for one user, page by page. */
import type { AtlassianUser } from './atlassian-people.ts';
import { readJql } from './jira-jql.ts';
import { type JiraRow, refuse } from './jira-refusal.ts';
import type { JiraParts, JiraView } from './jira-view.ts';

/** The user is undefined for nobody. */
export function makeJiraSearch(
  { world, settings, tokens, now }: JiraParts,
  { projectAt, issueAt, shownIssue }: JiraView,
  me: AtlassianUser | undefined,
) {
  return function search({
    jql = '',
    nextPageToken,
    maxResults = 50,
    fields = ['id'],
    expand,
    reconcileIssues = [],
  }: JiraRow) {
    if (!(Number(maxResults) >= 0)) refuse(400, 'The value of maxResults must not be negative.');
    const query = readJql(jql, {
      projectOf: projectAt,
      issueOf: issueAt,
      timeZone: me?.timeZone ?? 'UTC',
      now: now(),
    });
    if (query.projects.some(({ id }) => settings.forbidden.has(id)))
      refuse(403, 'You do not have permission to search in this project.');
    const token = tokens.placeAt(nextPageToken);
    if (nextPageToken !== undefined && token?.jql !== jql)
      // Jira answers in the language of the account.
      refuse(400, '제공한 다음 페이지 표시가 올바르지 않거나 만료되었습니다.');
    const indexed = [...world.issues.values()].flatMap((one) => {
      const before = reconcileIssues.map(String).includes(one.id)
        ? undefined
        : settings.unindexed.get(one.id);
      return before === 'missing' ? [] : [before ?? one];
    });
    const found = indexed
      .filter((one) => one.project.state === 'live' && world.canSee(me, one) && query.holds(one))
      .map((issue) => ({ issue, place: query.placeOf(issue) }));
    const isByPlace = token !== undefined && settings.paging === 'places';
    const left = found
      .filter(({ place }) => !isByPlace || query.compare(place, token.place) > 0)
      .toSorted((a, b) => query.compare(a.place, b.place))
      .slice(isByPlace ? 0 : (token?.count ?? 0));
    const shown = left.slice(0, Math.min(Number(maxResults), settings.largestPage));
    const isLast = shown.length === left.length;
    const last = shown.at(-1);
    const count = (token?.count ?? 0) + shown.length;
    return {
      issues: shown.map(({ issue }) => shownIssue(issue, { fields, expand })),
      ...(!isLast && last && { nextPageToken: tokens.cursorOf({ jql, place: last.place, count }) }),
      isLast,
    };
  };
}
