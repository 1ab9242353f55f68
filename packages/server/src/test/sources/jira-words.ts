/** Writes records of the company in Jira, each with a word of its own, which stands in nodes of many kinds. */
import { must } from '../../util.ts';
import { type AdfDocument, type AdfNode, adf } from './atlassian-adf.ts';
import { makeCompanyWords, said } from './company-words.ts';
import type { JiraComment, JiraIssue, JiraProject } from './jira-records.ts';
import type { JiraWorld } from './jira-world.ts';

/** A record of the company that a search must find by its word. */
export interface JiraRecord {
  readonly kind: 'project' | 'issue' | 'comment' | 'attachment';
  readonly id: string;
  /** The issue on which a comment or an attachment stands, or the record itself. */
  readonly issueId: string;
}

/** Writes the word into a node of another kind for each issue. */
const PLACES: readonly ((word: string) => AdfNode)[] = [
  (word) => adf.paragraph([adf.text('It is about '), adf.text(word, 'strong'), adf.text('.')]),
  (word) => adf.heading(3, said(word)),
  (word) => adf.bullets('First', said(word)),
  (word) => adf.table(['What', 'Word'], ['This', said(word)]),
  (word) => adf.code(`const ${word} = 1;`),
  (word) => adf.panel(said(word)),
  (word) => adf.tasks({ text: said(word), isDone: false }),
  (word) => adf.expand('More', said(word)),
  (word) => adf.quote(said(word)),
];

export type JiraWords = ReturnType<typeof makeJiraWords>;

export function makeJiraWords(world: JiraWorld) {
  const { bob } = world;
  const { words, keep } = makeCompanyWords(({ kind, id }: JiraRecord) => `${kind}/${id}`);
  let added = 0;

  function addProject(key: string, name: string, more: Partial<JiraProject> = {}): JiraProject {
    const project = world.addProject(key, name, more);
    keep({ kind: 'project', id: project.id, issueId: project.id }, (word) => {
      project.description = said(word);
    });
    return project;
  }
  function addIssue(project: JiraProject, summary: string, more: Partial<JiraIssue> = {}) {
    const issue = world.addIssue(project, summary, { assignee: bob, ...more });
    const place = must(PLACES[added++ % PLACES.length]);
    const before: readonly AdfNode[] = more.description?.content ?? [];
    keep({ kind: 'issue', id: issue.id, issueId: issue.id }, (word) => {
      issue.description = adf.doc(...before, place(word)) as AdfDocument;
      world.touch(issue);
    });
    return issue;
  }
  function addComment(issue: JiraIssue, more: Partial<JiraComment> = {}): JiraComment {
    const comment = world.addComment(issue, '', more);
    keep({ kind: 'comment', id: comment.id, issueId: issue.id }, (word) => {
      const text = adf.text(`: ${said(word)}`);
      comment.body = adf.doc(adf.paragraph([adf.mention(bob.accountId, bob.name), text]));
      comment.updatedAt = world.touch(issue);
    });
    return comment;
  }
  /** Nobody can change an attachment. */
  function addAttachment(issue: JiraIssue, name: string) {
    const file = world.addAttachment(issue, name);
    keep({ kind: 'attachment', id: file.id, issueId: issue.id }, (word) => {
      file.content = `# Plan\n\n${said(word)}\n`;
    });
    return file;
  }

  return { words, keep, addProject, addIssue, addComment, addAttachment, countAdded: () => added };
}
