/**
 * These are the records of Linear and the entities that they become. Linear's limits count the records that a query may
 * return, so a query asks for only a few labels and comments of each issue
 * (https://linear.app/developers/rate-limiting).
 */
import { z } from 'zod';
import type { Access, Entity } from '../../model/entity.ts';
import { pageOf, type RelayConnection } from '../kit/relay.ts';

const text = z.string();
const named = z.object({ name: text }).transform(({ name }) => name);
const email = z
  .object({ email: text })
  .nullable()
  .transform((user) => user?.email ?? null);
const about = (description: string) => text.nullable().meta({ description });
const Dated = z.object({ id: text, url: text, createdAt: text, updatedAt: text });
const Archivable = Dated.extend({ archivedAt: text.nullable() });

const Team = z.object({ id: text, key: text, name: text, visibility: text });
type Team = z.output<typeof Team>;
const Membership = z.object({ team: Team, user: z.object({ email: text, active: z.boolean() }) });
const InProject = z.object({
  name: text,
  teams: z.object({ nodes: z.array(Team) }).meta({ arguments: 'first: 10' }),
});
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
  labels: z.object({ nodes: z.array(named) }).meta({ arguments: 'first: 20' }),
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
  issue: z.object({ team: Team }).nullable(),
  team: Team.nullable(),
});
export type LinearIssue = z.output<typeof Issue>;

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
    labels: z.array(text).meta({ description: 'At most 20 of its labels.' }),
    parent: about('Identifier of the parent issue.'),
    project: about('Name of the project.'),
    due_date: about('Day, such as 2026-12-31.'),
  }),
  LinearComment: z.object({ issue: about('Identifier.'), author: about('E-mail address.') }),
  LinearProject: z.object({ status: about('Name.'), lead: about('E-mail address.') }),
  LinearDocument: z.object({ creator: about('E-mail address.'), project: about('Name.') }),
};

/** Only members see the records of a team whose visibility is not 'public'. */
export const isOpen = ({ visibility }: Team): boolean => visibility === 'public';
export const groupOf = ({ id }: Team): string => `group:${id}`;
/** A record of several teams is seen by the members of each. */
const accessOf = (teams: readonly Team[]): Access | undefined =>
  teams.length === 0 || teams.some(isOpen)
    ? undefined
    : { isPublic: false, viewers: teams.map(groupOf) };

type Content = Pick<Entity, 'name' | 'text' | 'fields' | 'breadcrumbs' | 'access'>;
const entity = (
  type: keyof typeof entities,
  { id, url, createdAt, updatedAt }: z.output<typeof Dated>,
  content: Content,
): Entity => ({
  ...{ type, id, url, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) },
  ...content,
});
export const ofIssue = (issue: LinearIssue): Entity => {
  const { identifier, title, team, state, assignee, project } = issue;
  return entity('LinearIssue', issue, {
    name: `${identifier} ${title}`,
    text: issue.description ?? '',
    access: accessOf([team]),
    breadcrumbs: [{ id: team.id, name: team.name, type: 'LinearTeam' }],
    fields: {
      ...{ identifier, team: team.key, state, priority: issue.priorityLabel, assignee, project },
      ...{ labels: issue.labels.nodes, parent: issue.parent?.identifier ?? null },
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
export const ofProject = (project: z.output<typeof Project>): Entity => {
  const { name, description, content, status, lead } = project;
  const text = `${description}\n\n${content ?? ''}`.trim();
  const access = accessOf(project.teams.nodes);
  return entity('LinearProject', project, { name, text, access, fields: { status, lead } });
};
export const ofDocument = (document: z.output<typeof Doc>): Entity => {
  const { title, content, creator, project, issue, team } = document;
  const [name, text] = [title || 'Untitled', content ?? ''];
  const owner = team ?? issue?.team;
  const access = accessOf(owner ? [owner] : (project?.teams.nodes ?? []));
  const fields = { creator, project: project?.name ?? null };
  return entity('LinearDocument', document, { name, text, access, fields });
};
