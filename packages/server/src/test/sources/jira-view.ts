/** The view of one user on a site of Jira: projects, issues and comments, by pages. */
import type { AtlassianCursors } from './atlassian-cursors.ts';
import type { AtlassianUser } from './atlassian-people.ts';
import type { JiraIssue, JiraProject } from './jira-records.ts';
import { type JiraRow, type JiraSettings, refuse } from './jira-refusal.ts';
import type { makeJiraShapes } from './jira-shapes.ts';
import type { JiraWorld } from './jira-world.ts';

const NO_ISSUE = 'Issue does not exist or you do not have permission to see it.';
const IN_SEARCH = ['names', 'renderedFields', 'schema', 'changelog'];

interface JiraPlace {
  readonly jql: string;
  readonly place: readonly (string | number)[];
  /** This many issues come before the place. */
  readonly count: number;
}
export type JiraTokens = AtlassianCursors<JiraPlace>;

export interface JiraParts {
  readonly world: JiraWorld;
  readonly settings: JiraSettings;
  readonly show: ReturnType<typeof makeJiraShapes>;
  readonly tokens: JiraTokens;
  readonly baseUrl: () => string;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}
export type JiraView = ReturnType<typeof makeJiraView>;

/** The user is undefined for nobody. */
export function makeJiraView(
  { world, settings, show, baseUrl }: JiraParts,
  me: AtlassianUser | undefined,
) {
  /** A page by the number of its first item. */
  function page<T, Shown>(
    all: readonly T[],
    { startAt = 0, maxResults = 50 }: JiraRow,
    shown: (one: T) => Shown,
  ) {
    const from = Number(startAt);
    const size = Math.min(Number(maxResults), settings.largestPage);
    const values = all.slice(from, from + size).map(shown);
    const isLast = from + values.length >= all.length;
    return { startAt: from, maxResults: size, total: all.length, isLast, values };
  }

  const mayBrowse = (project: JiraProject) =>
    world.canBrowse(me, project) ||
    [...world.issues.values()].some((one) => one.project === project && world.canSee(me, one));
  const isOpen = (project: JiraProject) => project.state !== 'deleted' && mayBrowse(project);
  const projectAt = (text: string) =>
    [...world.projects.values()].find(
      (one) =>
        isOpen(one) && [one.id, one.key.toUpperCase(), one.name].includes(text.toUpperCase()),
    ) ?? [...world.projects.values()].find((one) => isOpen(one) && one.name === text);
  const issueAt = (text: string) =>
    [...world.issues.values()].find(
      (one) =>
        [one.id, one.key, ...one.earlierKeys].includes(text.toUpperCase()) && world.canSee(me, one),
    );
  const findProject = (text: string): JiraProject => {
    const project = projectAt(text) ?? refuse(404, `No project could be found with key '${text}'.`);
    if (settings.forbidden.has(project.id)) refuse(403, 'You do not have permission.');
    return project;
  };
  const findIssue = (text: string) => issueAt(text) ?? refuse(404, NO_ISSUE);
  const commentsOf = (issue: JiraIssue) =>
    world.commentsOf(issue).filter((one) => world.canSeeComment(me, one));
  function shownIssue(issue: JiraIssue, { fields, expand = '' }: JiraRow): JiraRow {
    const wanted = fields.flatMap((one: string) => one.split(',')).map((one: string) => one.trim());
    const expands = expand.split(',').filter(Boolean);
    for (const one of expands)
      if (!IN_SEARCH.includes(one)) throw new Error(`the fake of Jira does not expand ${one}`);
    if (wanted.every((one: string) => one === 'id')) return { id: issue.id };
    const all = show.fields(issue, commentsOf(issue), settings.mostComments);
    const isAll = wanted.some((one: string) => one.startsWith('*') || one.startsWith('-'));
    const shown = Object.entries(all).filter(
      ([name]) => !wanted.includes(`-${name}`) && (isAll || wanted.includes(name)),
    );
    return {
      expand: 'operations,versionedRepresentations,editmeta,changelog,renderedFields',
      id: issue.id,
      self: `${baseUrl()}/rest/api/3/issue/${issue.id}`,
      key: issue.key,
      fields: Object.fromEntries(shown),
      ...(expands.includes('changelog') && {
        changelog: {
          startAt: 0,
          maxResults: issue.earlierKeys.length,
          total: issue.earlierKeys.length,
          histories: issue.earlierKeys.map((fromString, i) => ({
            id: String(i + 1),
            created: (all as JiraRow).updated,
            items: [{ field: 'Key', fieldtype: 'jira', fromString, toString: issue.key }],
          })),
        },
      }),
    };
  }

  function projects({
    query = '',
    keys = [],
    id = [],
    status = ['live'],
    orderBy = 'key',
    ...paging
  }: JiraRow) {
    if (!/^[+-]?(key|name)$/.test(orderBy))
      throw new Error(`the fake of Jira does not order projects by ${orderBy}`);
    const field = orderBy.endsWith('name') ? 'name' : 'key';
    const sign = orderBy.startsWith('-') ? -1 : 1;
    const found = [...world.projects.values()]
      .filter(
        (one) =>
          status.includes(one.state) &&
          mayBrowse(one) &&
          (keys.length === 0 || keys.includes(one.key)) &&
          (id.length === 0 || id.map(String).includes(one.id)) &&
          `${one.key} ${one.name}`.toLowerCase().includes(query.toLowerCase()),
      )
      .toSorted((a, b) => (a[field] < b[field] ? -sign : sign));
    const expands = String(paging.expand ?? '').split(',');
    return page(found, paging, (one) => ({
      ...show.project(one),
      ...(one.state === 'archived' && { archived: true }),
      ...(expands.includes('description') && { description: one.description }),
      ...(expands.includes('lead') && { lead: show.user(one.lead) }),
    }));
  }

  function comments(issue: JiraIssue, { orderBy = 'created', ...asked }: JiraRow) {
    const paging = { maxResults: 100, ...asked };
    const all = commentsOf(issue);
    const listed = page(orderBy === '-created' ? all.toReversed() : all, paging, show.comment);
    const { values, isLast: _, ...rest } = listed;
    return { ...rest, comments: values };
  }

  return {
    page,
    mayBrowse,
    isOpen,
    projectAt,
    issueAt,
    findProject,
    findIssue,
    commentsOf,
    shownIssue,
    projects,
    comments,
  };
}
