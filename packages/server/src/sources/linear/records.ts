/**
 * These are the records of Linear and the entities that they become. Linear's limits count the records that a query may
 * return, so a query asks for only a few labels and comments of each issue
 * (https://linear.app/developers/rate-limiting).
 */
import { z } from 'zod';
import type { Access, Breadcrumb, Entity } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import { allNodes, pageOf, type RelayConnection } from '../kit/relay.ts';

const text = z.string();
const named = z.object({ name: text }).transform(({ name }) => name);
const email = z
  .object({ email: text })
  .nullable()
  .transform((user) => user?.email ?? null);
const about = (description: string) => text.nullable().meta({ description });
const Dated = z.object({ id: text, url: text, createdAt: text, updatedAt: text });
const Archivable = Dated.extend({ archivedAt: text.nullable(), trashed: z.boolean().nullable() });

const Team = z.object({ id: text, key: text, name: text, visibility: text });
type Team = z.output<typeof Team>;
const User = z.object({ email: text, active: z.boolean(), canAccessAnyPublicTeam: z.boolean() });
const Membership = z.object({ team: Team, user: User });
const OfTeams = z.object({ id: text, teams: pageOf(Team, 'first: 10') });
const InProject = OfTeams.extend({ name: text });
const Comment = Dated.extend({ body: text, user: email });
export type LinearComment = z.output<typeof Comment>;
const CommentOnIssue = Comment.extend({ issue: z.object({ id: text }).nullable() });
const Issue = Archivable.extend({
  identifier: text,
  title: text,
  description: text.nullable(),
  team: Team,
  state: named,
  priorityLabel: text,
  assignee: email,
  labels: pageOf(named, 'first: 10'),
  parent: z.object({ identifier: text }).nullable(),
  project: named.nullable(),
  dueDate: text.nullable(),
  comments: pageOf(Comment, 'first: 10'),
});
const Project = Archivable.extend({
  name: text,
  description: text,
  content: text.nullable(),
}).extend({ status: named, lead: email, teams: InProject.shape.teams });
const Doc = Archivable.extend({ title: text, content: text.nullable(), creator: email }).extend({
  project: InProject.nullable(),
  issue: z.object({ id: text, identifier: text, team: Team }).nullable(),
  team: Team.nullable(),
  cycle: z.object({ team: Team }).nullable(),
  release: z.object({ pipeline: OfTeams }).nullable(),
  initiative: z.object({ id: text }).nullable(),
});
export type LinearIssue = z.output<typeof Issue>;
export type LinearProject = z.output<typeof Project>;
export type LinearDocument = z.output<typeof Doc>;

const listOf = <Node extends z.ZodType>(field: string, filter: string, node: Node) =>
  ({
    field,
    node,
    arguments: { filter, includeArchived: 'Boolean' },
  }) satisfies RelayConnection<Node>;
export const memberships: RelayConnection<typeof Membership> = {
  field: 'teamMemberships',
  node: Membership,
  arguments: {},
};
export const users: RelayConnection<typeof User> = { field: 'users', node: User, arguments: {} };
export const teams = listOf('teams', 'TeamFilter', Team);
export const issues = listOf('issues', 'IssueFilter', Issue);
export const comments = listOf('comments', 'CommentFilter', CommentOnIssue);
export const projects = listOf('projects', 'ProjectFilter', Project);
export const documents = listOf('documents', 'DocumentFilter', Doc);

export const entities = {
  LinearIssue: z.object({
    identifier: about('Key of the team and a number, such as ENG-42.'),
    team: about('Key of the team.'),
    state: about('State in the workflow of the team.'),
    priority: about('Urgent, High, Medium, Low or No priority.'),
    assignee: about('E-mail address.'),
    labels: z.array(text).meta({ description: 'Names.' }),
    parent: about('Identifier of the parent issue.'),
    project: about('Name of the project.'),
    due_date: about('Day, such as 2026-12-31.'),
  }),
  LinearComment: z.object({ issue: about('Identifier.'), author: about('E-mail address.') }),
  LinearProject: z.object({ status: about('Name.'), lead: about('E-mail address.') }),
  LinearDocument: z.object({ creator: about('E-mail address.'), project: about('Name.') }),
};

/** A record that may have many labels or teams shows only the first of them. */
export const labelsOf = (http: Http, { id, labels }: LinearIssue): Promise<string[]> =>
  allNodes(http, labels, { owner: 'issue', id, field: 'labels', node: named });
const teamsIn = (http: Http, owner: string, { id, teams }: z.output<typeof OfTeams>) =>
  allNodes<Team>(http, teams, { owner, id, field: 'teams', node: Team });
export const teamsOfProject = (http: Http, project: z.output<typeof InProject>): Promise<Team[]> =>
  teamsIn(http, 'project', project);
const ownerOf = ({ team, issue, cycle }: LinearDocument) => team ?? issue?.team ?? cycle?.team;
/** A document belongs to a team, an issue, a cycle, a project, a release or an initiative, which has no team. */
export async function teamsOfDocument(http: Http, document: LinearDocument): Promise<Team[]> {
  const { project, release } = document;
  const owner = ownerOf(document);
  if (owner) return [owner];
  if (project) return teamsIn(http, 'project', project);
  return release ? teamsIn(http, 'releasePipeline', release.pipeline) : [];
}

/** Only members see the records of a team whose visibility is not 'public'. */
export const isOpen = ({ visibility }: Team): boolean => visibility === 'public';
/** Everybody in the workspace but guests, who see only the records of their own teams. */
export const EVERYONE = 'group:everyone';
export const principalOf = ({ email }: z.output<typeof User>): string =>
  `user:${email.toLowerCase()}`;
export const groupOf = ({ id }: Team): string => `group:${id}`;
/** A record of several teams is seen by the members of each. Nobody sees one whose teams are unknown. */
const accessOf = (teams: readonly Team[]): Access => ({
  isPublic: false,
  viewers: [...(teams.some(isOpen) ? [EVERYONE] : []), ...teams.map(groupOf)],
});

type Content = Pick<Entity, 'name' | 'text' | 'fields' | 'breadcrumbs' | 'access'>;
const entity = (
  type: keyof typeof entities,
  { id, url, createdAt, updatedAt }: z.output<typeof Dated>,
  content: Content,
): Entity => ({
  ...{ type, id, url, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) },
  ...content,
});
const crumbOf = ({ id, name }: Team): Breadcrumb => ({ id, name, type: 'LinearTeam' });

export const ofIssue = (issue: LinearIssue, labels: string[]): Entity => {
  const { identifier, title, team, state, assignee, project } = issue;
  return entity('LinearIssue', issue, {
    name: `${identifier} ${title}`,
    text: issue.description ?? '',
    access: accessOf([team]),
    breadcrumbs: [crumbOf(team)],
    fields: {
      ...{ identifier, team: team.key, state, priority: issue.priorityLabel, assignee, project },
      ...{ labels, parent: issue.parent?.identifier ?? null },
      due_date: issue.dueDate,
    },
  });
};
export const ofComment = (comment: LinearComment, issue: LinearIssue): Entity =>
  entity('LinearComment', comment, {
    name: `Comment on ${issue.identifier} ${issue.title}`,
    text: comment.body,
    access: accessOf([issue.team]),
    breadcrumbs: [{ id: issue.id, name: issue.identifier, type: 'LinearIssue' }],
    fields: { issue: issue.identifier, author: comment.user },
  });
export const ofProject = (project: LinearProject, teams: readonly Team[]): Entity => {
  const { name, description, content, status, lead } = project;
  const text = `${description}\n\n${content ?? ''}`.trim();
  return entity('LinearProject', project, {
    name,
    text,
    access: accessOf(teams),
    fields: { status, lead },
  });
};
export const ofDocument = (document: LinearDocument, teams: readonly Team[]): Entity => {
  const { title, content, creator, project, issue, initiative } = document;
  const owner = ownerOf(document);
  return entity('LinearDocument', document, {
    name: title || 'Untitled',
    text: content ?? '',
    access: initiative ? { isPublic: false, viewers: [EVERYONE] } : accessOf(teams),
    breadcrumbs: [
      ...(owner ? [crumbOf(owner)] : []),
      ...(issue ? [{ id: issue.id, name: issue.identifier, type: 'LinearIssue' }] : []),
      ...(project ? [{ id: project.id, name: project.name, type: 'LinearProject' }] : []),
    ],
    fields: { creator, project: project?.name ?? null },
  });
};
