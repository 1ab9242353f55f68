/** Makes entities of projects, issues, comments and attachments of Jira. */
import { z } from 'zod';
import { tooMuchText } from '../../documents/kinds.ts';
import type { Access, Breadcrumb, Entity } from '../../model/entity.ts';
import { adfMarkdown } from '../atlassian/adf.ts';
import type { AdfNames } from '../atlassian/adf-inline.ts';
import type { AtlassianUser } from '../atlassian/principals.ts';
import { type SourceItem, skip, upsert } from '../items.ts';
import type { JiraAttachment, JiraComment, JiraIssue, JiraProject, Linked } from './answer.ts';

const text = z.string();
const about = (description: string) => text.nullable().meta({ description });
const list = (description: string) => z.array(text).meta({ description });
const person = (what: string) => about(`E-mail address, or name, of ${what}.`);
const ofIssue = { issue: text.meta({ description: 'Key of its issue.' }) };

export const entities = {
  JiraProject: z.object({ key: text, lead: person('who leads it') }),
  JiraIssue: z.object({
    key: text.meta({ description: 'It changes when the issue moves to another project.' }),
    project: text.meta({ description: 'Name of its project.' }),
    project_key: text,
    issue_type: about('Such as Task, Bug or Epic.'),
    status: about('Such as To Do.'),
    status_category: about('To Do, In Progress or Done, in the language of the site.'),
    priority: about('Such as High.'),
    resolution: about('Empty while the issue is open.'),
    reporter: person('who reported it'),
    assignee: person('who works on it'),
    labels: list('Labels.'),
    components: list('Names of components.'),
    fix_versions: list('Names of the versions in which it is to be fixed.'),
    parent: about('Key of the issue above it.'),
    links: list('Links to other issues, such as "blocks OPS-7".'),
    due_date: about('Day on which it is due.'),
    resolved_at: about('Time in ISO 8601.'),
    security_level: about('Name of its security level.'),
  }),
  JiraComment: z.object({
    ...ofIssue,
    author: person('who wrote it'),
    visible_to: about('Name of the group or role that sees it.'),
  }),
  JiraAttachment: z.object({
    ...ofIssue,
    author: person('who attached it'),
    mime_type: text,
    size: z.number().meta({ description: 'Size in bytes.' }),
  }),
};

/** A project and the address at which people open its site. */
export interface ProjectPlace {
  readonly project: JiraProject;
  readonly home: string;
}
export interface IssuePlace extends ProjectPlace {
  readonly issue: JiraIssue;
  readonly access: Access;
}

/** A project is a partition, and the comments and attachments of an issue are one below it. */
export const partOfProject = ({ id }: JiraProject): string => encodeURIComponent(id);
export const partOfIssue = (project: JiraProject, { id }: JiraIssue): string =>
  `${partOfProject(project)}/${encodeURIComponent(id)}`;

function dateOf(time: string): Date | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const nameOf = (user: AtlassianUser | null): string | null =>
  user?.emailAddress || user?.displayName || null;
const isoOf = (time: string): string | null => dateOf(time)?.toISOString() ?? null;
const titleOf = ({ key, fields }: JiraIssue | Linked): string => `${key} ${fields.summary}`.trim();
const addressOf = (home: string, key: string) => `${home}/browse/${encodeURIComponent(key)}`;

const projectId = ({ id }: JiraProject) => `project/${id}`;
const issueId = ({ id }: JiraIssue | Linked) => `issue/${id}`;
const commentId = ({ id }: JiraComment) => `comment/${id}`;
export const attachmentId = ({ id }: JiraAttachment): string => `attachment/${id}`;

const projectCrumb = (project: JiraProject): Breadcrumb => ({
  id: projectId(project),
  name: project.name || project.key,
  type: 'JiraProject',
});
const issueCrumb = (issue: JiraIssue | Linked): Breadcrumb => ({
  id: issueId(issue),
  name: titleOf(issue),
  type: 'JiraIssue',
});
const crumbsOf = ({ project, issue }: IssuePlace): Breadcrumb[] => [
  projectCrumb(project),
  ...(issue.fields.parent ? [issueCrumb(issue.fields.parent)] : []),
];

export const ofProject = ({ project, home }: ProjectPlace, access: Access): SourceItem =>
  upsert(
    {
      id: projectId(project),
      type: 'JiraProject',
      name: project.name || project.key,
      text: project.description,
      url: addressOf(home, project.key),
      access,
      fields: { key: project.key, lead: nameOf(project.lead) },
    },
    { partition: partOfProject(project) },
  );

export function ofIssueItem(place: IssuePlace, names: AdfNames): SourceItem {
  const { project, issue, home, access } = place;
  const { fields } = issue;
  const { description, environment, parent, resolutiondate } = fields;
  const parts = [adfMarkdown(description, names), adfMarkdown(environment, names)];
  const entity: Entity = {
    id: issueId(issue),
    type: 'JiraIssue',
    name: titleOf(issue),
    text: parts.filter(Boolean).join('\n\n'),
    url: addressOf(home, issue.key),
    breadcrumbs: crumbsOf(place),
    createdAt: dateOf(fields.created),
    updatedAt: dateOf(fields.updated),
    access,
    fields: {
      key: issue.key,
      project: project.name,
      project_key: project.key,
      issue_type: fields.issuetype?.name || null,
      status: fields.status?.name || null,
      status_category: fields.status?.statusCategory?.name || null,
      priority: fields.priority?.name || null,
      resolution: fields.resolution?.name || null,
      reporter: nameOf(fields.reporter),
      assignee: nameOf(fields.assignee),
      labels: fields.labels,
      components: fields.components,
      fix_versions: fields.fixVersions,
      parent: parent?.key || null,
      links: fields.issuelinks.flatMap(({ type, inwardIssue, outwardIssue }) => [
        ...(outwardIssue ? [`${type.outward} ${outwardIssue.key}`] : []),
        ...(inwardIssue ? [`${type.inward} ${inwardIssue.key}`] : []),
      ]),
      due_date: fields.duedate || null,
      resolved_at: isoOf(resolutiondate),
      security_level: fields.security?.name || null,
    },
  };
  return unlessTooLong(entity, partOfProject(project));
}

export function ofComment(place: IssuePlace, comment: JiraComment, names: AdfNames): SourceItem {
  const { project, issue, home, access } = place;
  const entity: Entity = {
    id: commentId(comment),
    type: 'JiraComment',
    name: `Comment on ${titleOf(issue)}`,
    text: adfMarkdown(comment.body, names),
    url: `${addressOf(home, issue.key)}?focusedCommentId=${encodeURIComponent(comment.id)}`,
    breadcrumbs: [...crumbsOf(place), issueCrumb(issue)],
    createdAt: dateOf(comment.created),
    updatedAt: dateOf(comment.updated),
    access,
    fields: {
      issue: issue.key,
      author: nameOf(comment.author),
      visible_to: comment.visibility?.value || null,
    },
  };
  return unlessTooLong(entity, partOfIssue(project, issue));
}

/** The entity has no file yet. */
export const ofAttachment = (place: IssuePlace, attachment: JiraAttachment): Entity => ({
  id: attachmentId(attachment),
  type: 'JiraAttachment',
  name: attachment.filename || `Attachment ${attachment.id}`,
  text: '',
  url: addressOf(place.home, place.issue.key),
  breadcrumbs: [...crumbsOf(place), issueCrumb(place.issue)],
  createdAt: dateOf(attachment.created),
  access: place.access,
  fields: {
    issue: place.issue.key,
    author: nameOf(attachment.author),
    mime_type: attachment.mimeType,
    size: attachment.size,
  },
});

function unlessTooLong(entity: Entity, partition: string): SourceItem {
  const excess = tooMuchText(entity.text);
  return excess
    ? skip(entity.id, entity.type, { ...excess, removes: 'record' })
    : upsert(entity, { partition });
}
