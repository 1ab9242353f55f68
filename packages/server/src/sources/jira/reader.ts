/** Asks the site of one connection. It belongs to one pull, so that each thing is asked for once. */

import type { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { ifReadable } from '../atlassian/refusal.ts';
import { type AtlassianContext, pathToSite } from '../atlassian/site.ts';
import type { Http } from '../kit/http.ts';
import { numbered } from '../kit/numbered.ts';
import type { CloudRequest } from '../kit/outgoing.ts';
import { serviceTime } from '../kit/service-time.ts';
import { JiraProject, pageOf, Self, ServerInfo } from './answer.ts';

const LARGEST_PAGE = 100;

export interface JiraConfig extends Partial<AtlassianContext['config']> {
  readonly project_keys?: readonly string[] | undefined;
}
export interface JiraContext extends AtlassianContext {
  readonly config: JiraConfig;
}

export interface JiraSite {
  readonly http: Http;
  /** Paths of the API begin with it. */
  readonly api: string;
  ask<T>(request: CloudRequest, schema: z.ZodType<T>): Promise<T>;
  /** Reads a list whose pages begin at a number. */
  list<Item>(
    request: CloudRequest,
    item: z.ZodType<Item>,
    idOf: (item: Item) => string,
  ): Promise<Item[]>;
}

export async function openSite(ctx: AtlassianContext): Promise<JiraSite> {
  const { http } = ctx;
  const api = `${await pathToSite(ctx, 'jira')}rest/api/3/`;
  const ask: JiraSite['ask'] = async (request, schema) =>
    (await http.json({ ...request, path: api + request.path }, schema)).value;
  return {
    http,
    api,
    ask,
    list: (request, item, idOf) =>
      numbered(
        (startAt) =>
          ask(
            { ...request, query: { maxResults: LARGEST_PAGE, ...request.query, startAt } },
            pageOf(item),
          ),
        idOf,
      ),
  };
}

/** Returns the account that has signed in. Throws a SourceError 'config' when the address leads to no Jira of this account. */
export async function selfOf(site: JiraSite): Promise<z.output<typeof Self>> {
  try {
    return await site.ask({ path: 'myself' }, Self);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    throw new SourceError('config', `there is no Jira for this account: ${error.message}`, {
      hint: 'Look whether the address of the site is right, and whether the account may use Jira there.',
      cause: error,
    });
  }
}

/** Returns the address at which people open the site, and the time of its clock in milliseconds since 1970. */
export async function homeOf({ http, api }: JiraSite): Promise<{ url: string; at: number }> {
  const { value, headers } = await http.json({ path: `${api}serverInfo` }, ServerInfo);
  return { url: value.baseUrl.replace(/\/+$/, ''), at: serviceTime(headers) };
}

/** Lists the projects that the account may browse and that are not archived. */
const allProjects = (site: JiraSite): Promise<JiraProject[]> =>
  site.list(
    { path: 'project/search', query: { expand: 'description,lead', orderBy: 'key' } },
    JiraProject,
    ({ id }) => id,
  );

export interface ProjectChoice {
  readonly projects: readonly JiraProject[];
  /** These chosen keys lead to no project that the account may browse. */
  readonly missing: readonly string[];
}

/**
 * Throws a SourceError 'config' when the account sees none of the projects: its sign-in may be wrong, and an empty list
 * would delete everything.
 */
export async function projectsOf(
  site: JiraSite,
  { project_keys: keys = [] }: JiraConfig,
): Promise<ProjectChoice> {
  const seen = await allProjects(site);
  if (seen.length === 0)
    throw new SourceError('config', 'the account may not browse any project of this site', {
      hint: 'Give it the permission "Browse projects", or sign in with another account.',
    });
  if (keys.length === 0) return { projects: seen, missing: [] };
  const byKey = new Map(seen.map((project) => [project.key.toUpperCase(), project]));
  const found = new Map<string, JiraProject>();
  const missing: string[] = [];
  for (const key of keys) {
    const project = byKey.get(key.toUpperCase()) ?? (await renamed(site, key, seen));
    if (project) found.set(project.id, project);
    else missing.push(key);
  }
  if (found.size === 0) throw notSeen(missing);
  return { projects: [...found.values()], missing };
}

/** A project is found by its earlier keys, too. */
async function renamed(site: JiraSite, key: string, seen: readonly JiraProject[]) {
  const path = `project/${encodeURIComponent(key)}`;
  const found = await ifReadable(() => site.ask({ path }, JiraProject), undefined);
  return seen.find(({ id }) => id === found?.id);
}

export const notSeen = (keys: readonly string[]): SourceError =>
  new SourceError(
    'config',
    `the account may not browse the projects ${keys.join(', ')}, or they do not exist or are archived`,
  );
