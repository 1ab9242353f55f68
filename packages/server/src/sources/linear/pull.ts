/**
 * Lists a workspace of Linear part by part, or what has changed in it. A part is a team, the projects or the documents.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import type { Membership } from '../define.ts';
import { bookmark, checkpoint, listed, remove, type SourceItem, skip, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { part } from '../kit/listing.ts';
import { connectionPages, type RelayConnection } from '../kit/relay.ts';
import * as linear from './records.ts';

/** The pull goes on in the part of this name after the page cursor `after`, and ends with the cursor `newest`. */
const Position = z.object({ name: z.string(), after: z.string(), newest: z.string().optional() });

interface LinearPull {
  readonly http: Http;
  readonly config: { readonly teams?: readonly string[] | undefined };
  readonly cursor: { readonly updatedAt: string } | null;
  readonly bookmark: unknown;
}

/**
 * A pull reads the time of the latest change before it lists anything. The next pull begins at that time, so it finds
 * everything that changes during this one.
 */
export async function* pull(asked: LinearPull): AsyncGenerator<SourceItem, void, void> {
  const { http, cursor } = asked;
  const place = Position.nullable().parse(asked.bookmark);
  const newest = place ? place.newest : ((await latestChange(http)) ?? cursor?.updatedAt);
  for (const { name, list } of await partsOf(asked)) {
    const from = place?.name === name ? place.after : null;
    if (cursor) yield* list(null);
    else if (!place || name >= place.name)
      yield* part(
        name,
        list(from, (after) => bookmark({ name, after, newest })),
      );
  }
  if (newest === undefined) return;
  if (!cursor) yield* changedIssues(asked, newest);
  yield checkpoint({ updatedAt: newest });
}

const chosen = ({ teams }: LinearPull['config']) => teams && { key: { in: teams } };

/**
 * An issue that moves during a full pull, from a team that is listed later to one that was listed before, comes up in
 * neither.
 */
async function* changedIssues({ http, config }: LinearPull, since: string) {
  const filter = { updatedAt: { gt: since }, team: chosen(config) };
  for await (const { page } of connectionPages(http, linear.issues, { filter }))
    yield* issueItems(http, page);
}

/** An incremental pull lists the issues of all teams at once, which saves a request for each team. */
async function partsOf({ http, config, cursor }: LinearPull) {
  const among = chosen(config);
  const changed = cursor ? { updatedAt: { gte: cursor.updatedAt } } : {};
  const touched = cursor && {
    or: [changed, { archivedAt: changed.updatedAt }, { comments: { some: changed } }],
  };
  // Who may find a document follows from its issue or its project, which may have other teams now.
  const moved = cursor && { or: [changed, { project: changed }, { issue: changed }] };
  const ofProject = among && { accessibleTeams: { some: among } };
  const ofDocument = among && {
    or: [
      ...[{ project: ofProject }, { issue: { team: among } }, { team: among }],
      ...[{ cycle: { team: among } }, { release: { pipeline: { teams: { some: among } } } }],
    ],
  };
  const partOf = <Node extends z.ZodType>(
    name: string,
    { filter, ...connection }: RelayConnection<Node> & { readonly filter: object },
    itemsOf: (page: readonly z.output<Node>[]) => AsyncIterable<SourceItem> | Iterable<SourceItem>,
  ) => ({
    name,
    async *list(from: string | null, mark?: (after: string) => SourceItem) {
      const variables = { filter, includeArchived: cursor !== null, from };
      for await (const { page, next } of connectionPages(http, connection, variables)) {
        yield* itemsOf(page);
        if (mark && next !== null) yield mark(next);
      }
    },
  });
  const ofIssues = (name: string, team: object | undefined) =>
    partOf(name, { ...linear.issues, filter: { ...touched, team } }, (issues) =>
      issueItems(http, issues),
    );
  const teams = cursor ? [] : await teamsOf(http, among);
  return [
    partOf(
      'documents',
      { ...linear.documents, filter: { ...moved, and: ofDocument && [ofDocument] } },
      (documents) => documentItems(http, documents),
    ),
    partOf('projects', { ...linear.projects, filter: { ...changed, ...ofProject } }, (projects) =>
      projectItems(http, projects),
    ),
    ...(cursor ? [ofIssues('', among)] : teams.map(({ id }) => ofIssues(id, { id: { eq: id } }))),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

type Archivable = Pick<linear.LinearIssue, 'archivedAt' | 'trashed'>;
const isGone = ({ archivedAt, trashed }: Archivable): boolean => archivedAt !== null || !!trashed;

function itemsOf(record: Archivable, entity: Entity, partition: string): SourceItem[] {
  const { id, type, name, access } = entity;
  if (isGone(record)) return [remove(id)];
  const reason = 'whose readers are unknown';
  const hint = 'Searches with X-Principals do not find it, because Linear tells none of its teams.';
  const isUnknown = access?.viewers?.length === 0;
  return [
    upsert(entity, { partition }),
    ...(isUnknown ? [skip(`${id}/readers`, type, { reason, detail: name, hint })] : []),
  ];
}

async function* documentItems(http: Http, documents: readonly linear.LinearDocument[]) {
  for (const document of documents) {
    const teams = await linear.teamsOfDocument(http, document);
    yield* itemsOf(document, linear.ofDocument(document, teams), 'documents');
  }
}

async function* projectItems(http: Http, projects: readonly linear.LinearProject[]) {
  for (const project of projects) {
    const teams = await linear.teamsOfProject(http, project);
    yield* itemsOf(project, linear.ofProject(project, teams), 'projects');
  }
}

/**
 * All comments of an issue are listed each time, because Linear does not report which were deleted. The issues of a page
 * that have more comments than the page shows have one list of comments together.
 */
async function* issueItems(http: Http, issues: readonly linear.LinearIssue[]) {
  const long = new Map<string, linear.LinearIssue>();
  for (const issue of issues) {
    const labels = await linear.labelsOf(http, issue);
    yield* itemsOf(issue, linear.ofIssue(issue, labels), issue.team.id);
    const isLong = !isGone(issue) && issue.comments.pageInfo.hasNextPage;
    if (isLong) long.set(issue.id, issue);
    else yield* commentItems(issue, isGone(issue) ? [] : issue.comments.nodes);
  }
  if (long.size === 0) return;
  const filter = { issue: { id: { in: [...long.keys()] } } };
  for await (const { page } of connectionPages(http, linear.comments, { filter }))
    for (const comment of page) {
      const issue = long.get(comment.issue?.id ?? '');
      if (issue) yield commentItem(issue, comment);
    }
  for (const issue of long.values()) yield listed(commentsOn(issue));
}

function* commentItems(issue: linear.LinearIssue, comments: readonly linear.LinearComment[]) {
  for (const comment of comments) yield commentItem(issue, comment);
  yield listed(commentsOn(issue));
}

const commentsOn = ({ id, team }: linear.LinearIssue): string => `${team.id}/${id}`;
const commentItem = (issue: linear.LinearIssue, comment: linear.LinearComment): SourceItem =>
  upsert(linear.ofComment(comment, issue), { partition: commentsOn(issue) });

/** Returns the teams that the account sees and that match the filter. Without a filter, returns all that it sees. */
export async function teamsOf(http: Http, filter: object = {}) {
  const teams = [];
  for await (const { page } of connectionPages(http, linear.teams, { filter })) teams.push(...page);
  return teams;
}

/**
 * Yields the active people in the workspace who are not guests, the active members of the teams whose records not all of
 * these see, and the guests in other teams.
 */
export async function* members(http: Http): AsyncGenerator<Membership, void, void> {
  for await (const { page } of connectionPages(http, linear.users, {}))
    for (const user of page)
      if (user.active && user.canAccessAnyPublicTeam)
        yield { group: linear.EVERYONE, member: linear.principalOf(user) };
  for await (const { page } of connectionPages(http, linear.memberships, {}))
    for (const { team, user } of page)
      if (user.active && !(linear.isOpen(team) && user.canAccessAnyPublicTeam))
        yield { group: linear.groupOf(team), member: linear.principalOf(user) };
}

export async function checkTeams(http: Http, keys: readonly string[] = []): Promise<void> {
  const seen = new Set((await teamsOf(http)).map(({ key }) => key));
  const unseen = keys.filter((key) => !seen.has(key));
  if (unseen.length > 0)
    throw new SourceError('config', `the account does not see the teams ${unseen.join(', ')}`);
}

const FIRST = '(first: 1, orderBy: updatedAt, includeArchived: true) { nodes { updatedAt } }';
const Newest = z.record(
  z.string(),
  z.object({ nodes: z.array(z.object({ updatedAt: z.string() })) }),
);
/** Returns the time of the latest change in the workspace, or undefined when it is empty. */
async function latestChange(http: Http): Promise<string | undefined> {
  const query = `query { issues${FIRST} projects${FIRST} documents${FIRST} }`;
  const found = Object.values(await http.graphql(query, {}, Newest)).flatMap(({ nodes }) => nodes);
  return found
    .map(({ updatedAt }) => updatedAt)
    .toSorted()
    .at(-1);
}
