/**
 * Holds a site of Jira: projects with roles, permissions and security levels, and issues with comments, attachments,
 * subtasks and links. Ids of different kinds of records are the same numbers, as they are in Jira.
 */
import { adf } from './atlassian-adf.ts';
import { makeAtlassianPeople } from './atlassian-people.ts';
import { JIRA_ROLES, makeJiraAccess } from './jira-access.ts';
import type {
  JiraAttachment,
  JiraComment,
  JiraHolder,
  JiraIssue,
  JiraProject,
  JiraScheme,
} from './jira-records.ts';

export type JiraWorld = ReturnType<typeof makeJiraWorld>;

/** `now` returns milliseconds since 1970. */
export function makeJiraWorld(now: () => number) {
  const last = new Map<string, number>();
  const idOf = (kind: string) => {
    const id = (last.get(kind) ?? 9999) + 1;
    last.set(kind, id);
    return String(id);
  };
  const people = makeAtlassianPeople();
  const { ann, bob, staff } = people;
  const projects = new Map<string, JiraProject>();
  const issues = new Map<string, JiraIssue>();
  const comments = new Map<string, JiraComment>();
  const attachments = new Map<string, JiraAttachment>();
  const schemes: JiraScheme[] = [];
  /** The key is that of a product, which members of the group may use. */
  const products = new Map([['jira-software', staff]]);

  const world = {
    ...people,
    ...makeJiraAccess({ people, issues, products }),
    projects,
    issues,
    comments,
    attachments,
    schemes,
    products,
    addProject(key: string, name: string, more: Partial<JiraProject> = {}): JiraProject {
      const project: JiraProject = {
        id: idOf('project'),
        key,
        name,
        description: '',
        lead: ann,
        state: 'live',
        browse: [{ type: 'group', value: staff.id }],
        roles: new Map(JIRA_ROLES.map(({ id }) => [id, []])),
        scheme: null,
        lastNumber: 0,
        ...more,
      };
      projects.set(project.id, project);
      return project;
    },
    addScheme(name: string, levels: Readonly<Record<string, JiraHolder[]>>): JiraScheme {
      const scheme = {
        id: idOf('scheme'),
        name,
        levels: Object.entries(levels).map(([one, holders]) => ({
          id: idOf('level'),
          name: one,
          holders,
        })),
      };
      schemes.push(scheme);
      return scheme;
    },
    addIssue(project: JiraProject, summary: string, more: Partial<JiraIssue> = {}): JiraIssue {
      const at = now();
      const issue: JiraIssue = {
        id: idOf('issue'),
        key: `${project.key}-${++project.lastNumber}`,
        earlierKeys: [],
        project,
        type: more.parent ? 'Subtask' : 'Task',
        summary,
        description: null,
        status: 'To Do',
        priority: 'Medium',
        labels: [],
        reporter: ann,
        assignee: null,
        createdAt: at,
        updatedAt: at,
        dueDate: null,
        parent: null,
        blocks: new Set(),
        level: null,
        ...more,
      };
      issues.set(issue.id, issue);
      return issue;
    },
    /** Comments and attachments count as changes of their issue. */
    addComment(issue: JiraIssue, text: string, more: Partial<JiraComment> = {}): JiraComment {
      const at = world.touch(issue);
      const comment = {
        id: idOf('comment'),
        issueId: issue.id,
        body: adf.doc(adf.paragraph(text)),
        author: bob,
        createdAt: at,
        updatedAt: at,
        visibility: null,
        ...more,
      };
      comments.set(comment.id, comment);
      return comment;
    },
    addAttachment(
      issue: JiraIssue,
      name: string,
      { content = '' as string | Buffer, type = 'text/markdown' } = {},
    ): JiraAttachment {
      const file = {
        id: idOf('attachment'),
        issueId: issue.id,
        name,
        type,
        content,
        author: ann,
        createdAt: world.touch(issue),
      };
      attachments.set(file.id, file);
      return file;
    },
    /** Returns the time of the change. */
    touch(issue: JiraIssue): number {
      issue.updatedAt = now();
      return issue.updatedAt;
    },
    link(from: JiraIssue, to: JiraIssue): void {
      from.blocks.add(to.id);
      world.touch(from);
      world.touch(to);
    },
    /** The issue gets a new key, and so do its subtasks. Their ids stay. */
    move(issue: JiraIssue, project: JiraProject): void {
      for (const one of [issue, ...world.subtasksOf(issue)]) {
        one.earlierKeys.push(one.key);
        one.key = `${project.key}-${++project.lastNumber}`;
        one.project = project;
        one.level = null;
        world.touch(one);
      }
    },
    /** Deletes the issue with its subtasks and everything below them. */
    deleteIssue(issue: JiraIssue): void {
      for (const one of world.subtasksOf(issue)) world.deleteIssue(one);
      for (const { id } of world.commentsOf(issue)) comments.delete(id);
      for (const { id } of world.attachmentsOf(issue)) attachments.delete(id);
      issues.delete(issue.id);
      for (const { blocks } of issues.values()) blocks.delete(issue.id);
    },
    subtasksOf: ({ id }: JiraIssue) =>
      [...issues.values()].filter(({ parent }) => parent?.id === id),
    commentsOf: ({ id }: JiraIssue) =>
      [...comments.values()].filter(({ issueId }) => issueId === id),
    attachmentsOf: ({ id }: JiraIssue) =>
      [...attachments.values()].filter(({ issueId }) => issueId === id),
  };
  return world;
}
