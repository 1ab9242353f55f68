/**
 * Lists the issues of each project, or the issues of all projects that have changed. The search of Jira may lag behind
 * some seconds, and a full listing may miss an issue that moves meanwhile, so it ends with what has changed since it began.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { digestOf } from '../../model/hash.ts';
import { bookmark, checkpoint, fail } from '../items.ts';
import { pages, part } from '../kit/listing.ts';
import { openAccess } from './access.ts';
import { FIELDS, IssuePage, type JiraIssue, type JiraProject } from './answer.ts';
import { itemsOf, type JiraItems, type JiraReader } from './issues.ts';
import { jqlTime } from './jql-time.ts';
import { openPeople } from './people.ts';
import {
  homeOf,
  type JiraContext,
  type JiraSite,
  notSeen,
  openSite,
  projectsOf,
  selfOf,
} from './reader.ts';
import { ofProject, partOfProject } from './records.ts';
import { RefusedValues } from './refusal.ts';

const LARGEST_PAGE = 100;
/** The index of a search knows changes later than this only when Jira is in trouble. */
const LAG_MS = 10 * 60_000;

export const JiraCursor = z.strictObject({
  /** The time of Jira's clock when the last pull began, in milliseconds since 1970. */
  at: z.number(),
  /** The digest of each project is here by its id. Only a project with another one is read again. */
  projects: z.record(z.string(), z.string()),
});
type JiraCursor = z.infer<typeof JiraCursor>;

/** The projects in `left` are still to be listed, the first one from this page on. */
const Position = z.object({
  at: z.number(),
  left: z.array(z.string()),
  page: z.string().nullable(),
});

interface JiraPull extends JiraContext {
  readonly cursor: JiraCursor | null;
  readonly bookmark: unknown;
}
interface Opened extends JiraReader {
  readonly projects: ReadonlyMap<string, JiraProject>;
  readonly timeZone: string;
  readonly isChosen: boolean;
}

export async function* pull(asked: JiraPull): JiraItems {
  const site = await openSite(asked);
  const home = await homeOf(site);
  const { timeZone } = await selfOf(site);
  const { projects, missing } = await projectsOf(site, asked.config);
  const people = openPeople(site);
  const opened: Opened = {
    ...{ site, people, timeZone },
    home: home.url,
    access: openAccess(site, people),
    projects: new Map(projects.map((project) => [project.id, project])),
    isChosen: (asked.config.project_keys ?? []).length > 0,
  };
  for (const key of missing) yield fail(`project/${key}`, 'JiraProject', notSeen([key]));
  if (asked.cursor) yield* changes(opened, asked.cursor, home.at);
  else yield* everything(opened, home.at, asked.bookmark);
}

async function* everything(opened: Opened, now: number, interrupted: unknown): JiraItems {
  const ids = [...opened.projects.keys()];
  const begun =
    interrupted === null ? { at: now, left: ids, page: null } : Position.parse(interrupted);
  const { at } = begun;
  let { left, page } = begun;
  for (const id of begun.left) {
    const project = opened.projects.get(id);
    const markAt = (next: string) => bookmark({ at, left, page: next });
    if (project)
      yield* part(partOfProject(project), wholeProject(opened, project, { page, markAt }));
    [left, page] = [left.slice(1), null];
    yield bookmark({ at, left, page });
  }
  // An earlier attempt has read the other projects as they were then, and the cursor says how they are now.
  for (const project of opened.projects.values())
    if (!begun.left.includes(project.id)) yield* projectItem(opened, project);
  yield* changedIssues(opened, at);
  yield checkpoint(cursorAt(opened, at));
}

interface Whole {
  readonly page: string | null;
  readonly markAt: (next: string) => ReturnType<typeof bookmark>;
}

async function* wholeProject(
  opened: Opened,
  project: JiraProject,
  { page, markAt }: Whole,
): JiraItems {
  yield* projectItem(opened, project);
  const jql = `project = ${project.id} ORDER BY created ASC`;
  for await (const { issues, next } of search(opened.site, jql, page)) {
    // An issue that has just moved is listed in its new project.
    for (const issue of issues)
      if (issue.fields.project.id === project.id) yield* itemsOf(opened, project, issue);
    if (next !== null) yield markAt(next);
  }
}

async function* changes(opened: Opened, { at, projects }: JiraCursor, now: number): JiraItems {
  const cursor = cursorAt(opened, now);
  for (const project of opened.projects.values())
    if (projects[project.id] !== cursor.projects[project.id]) yield* projectItem(opened, project);
  yield* changedIssues(opened, at);
  yield checkpoint(cursor);
}

function cursorAt({ projects }: Opened, at: number): JiraCursor {
  const digests = [...projects.values()].map((project) => [
    project.id,
    digestOf(project).slice(0, 11),
  ]);
  return { at, projects: Object.fromEntries(digests) };
}

async function* projectItem({ access, home }: Opened, project: JiraProject): JiraItems {
  yield ofProject({ project, home }, await access.ofProject(project));
}

/** The newest changes come first, so that an issue that changes meanwhile only moves those behind it to later pages. */
async function* changedIssues(opened: Opened, since: number): JiraItems {
  const { site, projects, isChosen, timeZone } = opened;
  const among = isChosen ? `project in (${[...projects.keys()].join(', ')}) AND ` : '';
  const jql = `${among}updated >= "${jqlTime(since - LAG_MS, timeZone)}" ORDER BY updated DESC`;
  for await (const { issues } of search(site, jql, null))
    for (const issue of issues) {
      const project = projects.get(issue.fields.project.id);
      if (project) yield* itemsOf(opened, project, issue);
    }
}

async function* search(
  site: JiraSite,
  jql: string,
  from: string | null,
): AsyncGenerator<{ issues: readonly JiraIssue[]; next: string | null }, void, void> {
  for await (const { page, next } of pages<JiraIssue[], string>(from, async (place) => {
    const { issues, nextPageToken } = await searchAt(site, jql, place);
    return { page: issues, next: nextPageToken };
  }))
    yield { issues: page, next };
}

async function searchAt(site: JiraSite, jql: string, nextPageToken: string | null) {
  const body = {
    ...{ jql, maxResults: LARGEST_PAGE, fields: FIELDS },
    ...(nextPageToken !== null && { nextPageToken }),
  };
  try {
    return await site.ask({ path: 'search/jql', body }, IssuePage);
  } catch (error) {
    // Tokens of pages end after some days. Jira has accepted the other values with the page before.
    if (!(error instanceof RefusedValues) || nextPageToken === null) throw error;
    throw new SourceError('outdated', error.message, { cause: error });
  }
}
