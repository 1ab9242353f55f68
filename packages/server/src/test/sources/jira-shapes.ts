/** Shows the records of a site of Jira as its answers have them. */
import type { AtlassianUser } from './atlassian-people.ts';
import { offsetAt } from './atlassian-query.ts';
import { JIRA_ROLES } from './jira-access.ts';
import { makeJiraAccessShapes } from './jira-access-shapes.ts';
import type { JiraAttachment, JiraComment, JiraIssue, JiraProject } from './jira-records.ts';
import type { JiraWorld } from './jira-world.ts';

const STATUSES = ['To Do', 'In Progress', 'Done'];
const PRIORITIES = ['Highest', 'High', 'Medium', 'Low', 'Lowest'];
const TYPES = ['Task', 'Bug', 'Story', 'Epic', 'Subtask'];
const idIn = (names: readonly string[], name: string) => String(10_000 + names.indexOf(name));

/** Times are in the time zone of the user, with an offset without a colon. */
function shownTime(at: number, timeZone: string): string {
  const offset = offsetAt(at, timeZone);
  const minutes = Math.abs(offset) / 60_000;
  const pad = (value: number) => String(value).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  const local = new Date(at + offset).toISOString().replace('Z', '');
  return `${local}${sign}${pad(Math.floor(minutes / 60))}${pad(minutes % 60)}`;
}

/** `baseUrl` returns the address at which the user asks. */
export function makeJiraShapes(world: JiraWorld, baseUrl: () => string) {
  const self = (path: string) => `${baseUrl()}/rest/api/3/${path}`;
  const time = (at: number) => shownTime(at, world.me.timeZone);
  const avatarUrls = { '48x48': 'https://avatar.example/48.png' };

  const show = {
    ...makeJiraAccessShapes(world, self),
    user: (user: AtlassianUser) => ({
      self: self(`user?accountId=${encodeURIComponent(user.accountId)}`),
      accountId: user.accountId,
      accountType: user.type,
      ...(user.email !== null && { emailAddress: user.email }),
      avatarUrls,
      displayName: user.name,
      active: user.isActive,
      timeZone: user.timeZone,
    }),
    orNobody: (user: AtlassianUser | null) => user && show.user(user),
    project: (project: JiraProject) => ({
      self: self(`project/${project.id}`),
      id: project.id,
      key: project.key,
      name: project.name,
      projectTypeKey: 'software',
      simplified: false,
      avatarUrls,
    }),
    /** A project by itself says more than one in a list. */
    wholeProject: (project: JiraProject) => ({
      ...show.project(project),
      description: project.description,
      lead: show.user(project.lead),
      style: 'classic',
      isPrivate: false,
      archived: project.state === 'archived',
      roles: show.roles(project),
    }),
    status: (name: string) => ({
      self: self(`status/${idIn(STATUSES, name)}`),
      name,
      id: idIn(STATUSES, name),
      statusCategory: { id: 4, key: name === 'Done' ? 'done' : 'new', name },
    }),
    issueType: (name: string) => ({
      id: idIn(TYPES, name),
      name,
      subtask: name === 'Subtask',
      hierarchyLevel: name === 'Epic' ? 1 : name === 'Subtask' ? -1 : 0,
    }),
    priority: (name: string | null) => name && { name, id: idIn(PRIORITIES, name) },
    /** An issue shows only this of another issue. */
    linked: ({ id, key, summary, status, type, priority }: JiraIssue) => ({
      id,
      key,
      self: self(`issue/${id}`),
      fields: {
        summary,
        status: show.status(status),
        ...(priority && { priority: show.priority(priority) }),
        issuetype: show.issueType(type),
      },
    }),
    comment: (comment: JiraComment) => ({
      self: self(`issue/${comment.issueId}/comment/${comment.id}`),
      id: comment.id,
      author: show.user(comment.author),
      body: comment.body,
      updateAuthor: show.user(comment.author),
      created: time(comment.createdAt),
      updated: time(comment.updatedAt),
      jsdPublic: true,
      ...(comment.visibility && { visibility: show.visibility(comment.visibility) }),
    }),
    visibility: ({ type, value, hasNoId }: NonNullable<JiraComment['visibility']>) => {
      const name =
        type === 'role'
          ? JIRA_ROLES.find(({ id }) => id === value)?.name
          : world.groupOf(value).name;
      return { type, value: name, identifier: hasNoId ? name : value };
    },
    attachment: ({ id, name, author, createdAt, content, type }: JiraAttachment) => ({
      self: self(`attachment/${id}`),
      id,
      filename: name,
      author: show.user(author),
      created: time(createdAt),
      size: Buffer.byteLength(content),
      mimeType: type,
      content: self(`attachment/content/${id}`),
    }),
    /** An issue in an answer has only the first comments of those that the user sees, and their number. */
    fields(
      issue: JiraIssue,
      comments: readonly JiraComment[],
      mostComments: number,
    ): Record<string, unknown> {
      const near: JiraIssue[] = [];
      for (const one of world.issues.values()) {
        const isLinked = issue.blocks.has(one.id) || one.blocks.has(issue.id);
        if ((one.parent === issue || isLinked) && world.canSee(world.me, one)) near.push(one);
      }
      const blocks = { id: '10000', name: 'Blocks', inward: 'is blocked by', outward: 'blocks' };
      const shown = comments.slice(0, mostComments).map(show.comment);
      return {
        summary: issue.summary,
        description: issue.description,
        environment: null,
        issuetype: show.issueType(issue.type),
        project: show.project(issue.project),
        status: show.status(issue.status),
        priority: show.priority(issue.priority),
        labels: issue.labels,
        reporter: show.orNobody(issue.reporter),
        creator: show.orNobody(issue.reporter),
        assignee: show.orNobody(issue.assignee),
        created: time(issue.createdAt),
        updated: time(issue.updatedAt),
        duedate: issue.dueDate,
        resolution: issue.status === 'Done' ? { id: '10000', name: 'Done' } : null,
        resolutiondate: issue.status === 'Done' ? time(issue.updatedAt) : null,
        components: [],
        fixVersions: [],
        ...(issue.parent && { parent: show.linked(issue.parent) }),
        subtasks: near.filter(({ parent }) => parent === issue).map(show.linked),
        issuelinks: near.flatMap((one) => [
          ...(issue.blocks.has(one.id)
            ? [{ id: `${issue.id}${one.id}`, type: blocks, outwardIssue: show.linked(one) }]
            : []),
          ...(one.blocks.has(issue.id)
            ? [{ id: `${one.id}${issue.id}`, type: blocks, inwardIssue: show.linked(one) }]
            : []),
        ]),
        attachment: world.attachmentsOf(issue).map(show.attachment),
        comment: {
          comments: shown,
          self: self(`issue/${issue.id}/comment`),
          maxResults: shown.length,
          total: comments.length,
          startAt: 0,
        },
        security: issue.level && show.level(issue.level),
        customfield_10016: 5,
      };
    },
  };
  return show;
}
