/** Holds a workspace of Linear: what is in it, and how it changes. Each change takes a second. */
import { newWord } from './cloud-company.ts';

/** A record has the form of the schema, but a connection is an array, from which the resolver makes pages. */
export type LinearRow = Record<string, any>;

export type LinearWorld = ReturnType<typeof makeLinearWorld>;

export function makeLinearWorld() {
  let clock = Date.parse('2026-03-01T08:00:00Z');
  let made = 0;
  const now = () => {
    clock += 1000;
    return new Date(clock).toISOString();
  };
  /** Maps the id of each record to its word. Trashed records are left out. */
  const words = new Map<string, string>();

  const row = (kind: string, more: LinearRow): LinearRow => {
    const at = now();
    const id = `${kind}-${String(++made).padStart(4, '0')}`;
    const url = `https://linear.app/acme/${kind}/${id}`;
    return { id, url, createdAt: at, updatedAt: at, archivedAt: null, trashed: null, ...more };
  };
  /** Gives the record a new text, and a new word. */
  function write(record: LinearRow, field: string): void {
    const word = newWord();
    words.set(record.id, word);
    record[field] = `It is about ${word}.`;
    record.updatedAt = now();
  }
  const user = (name: string, email: string, more: LinearRow = {}) =>
    row('user', { name, email, active: true, canAccessAnyPublicTeam: true, ...more });
  const ann = user('Ann', 'ann@acme.test');
  const bob = user('Bob', 'Bob@Acme.test');
  const gus = user('Gus', 'gus@guest.test', { canAccessAnyPublicTeam: false });
  const team = (key: string, name: string, visibility: string): LinearRow =>
    row('team', { key, name, visibility });
  const eng = team('ENG', 'Engineering', 'public');
  const ops = team('OPS', 'Operations', 'private');
  const initiative = row('initiative', { name: 'Grow' });
  const records = {
    teams: [eng, ops],
    users: [ann, bob, gus],
    pipelines: [] as LinearRow[],
    teamMemberships: [] as LinearRow[],
    projects: [] as LinearRow[],
    documents: [] as LinearRow[],
    issues: [] as LinearRow[],
    comments: [] as LinearRow[],
  };
  const join = (team: LinearRow, user: LinearRow) =>
    records.teamMemberships.push(row('membership', { team, user }));
  for (const user of [ann, bob, gus]) join(eng, user);
  join(ops, bob);
  // A suspended person stays a member.
  join(ops, user('Eve', 'eve@acme.test', { active: false }));

  function addProject(name: string, team: LinearRow): LinearRow {
    const teams = [team];
    const project = row('project', {
      name,
      teams,
      // The filter and the record have different names for these fields.
      accessibleTeams: teams,
      status: { name: 'Planned' },
      lead: ann,
    });
    project.description = '';
    write(project, 'content');
    records.projects.push(project);
    return project;
  }
  /** A document belongs to an initiative unless `project` or `more` names another owner. */
  function addDocument(title: string, project: LinearRow | null, more: LinearRow = {}): LinearRow {
    const none = { issue: null, team: null, cycle: null, release: null, initiative: null };
    const owner = project || Object.keys(more).length > 0 ? more : { initiative };
    const document = row('document', { title, project, creator: null, ...none, ...owner });
    write(document, 'content');
    records.documents.push(document);
    return document;
  }
  function addIssue(of: LinearRow, more: LinearRow = {}): LinearRow {
    const issue = row('issue', {
      team: of,
      state: { name: 'Todo' },
      assignee: null,
      labels: [{ name: 'Bug' }],
      priorityLabel: 'High',
      parent: null,
      project: null,
      dueDate: null,
      comments: [],
      ...more,
    });
    issue.identifier = `${of.key}-${made}`;
    issue.title = `Task ${made}`;
    write(issue, 'description');
    records.issues.push(issue);
    return issue;
  }
  /** Returns a release of a pipeline that belongs to these teams. */
  function addRelease(...teams: LinearRow[]): LinearRow {
    const pipeline = row('pipeline', { teams });
    records.pipelines.push(pipeline);
    return row('release', { pipeline });
  }
  /** Linear does not document that a new comment changes its issue, so in the fake it does not. */
  function addComment(issue: LinearRow): void {
    const comment = row('comment', { issue, user: ann });
    write(comment, 'body');
    issue.comments.push(comment);
    records.comments.push(comment);
  }
  /** Archives the record, as Linear does with a record that is moved to the trash. An incremental pull sees the change. */
  function trash(record: LinearRow): void {
    record.archivedAt = now();
    record.updatedAt = record.archivedAt;
    for (const { id } of [record, ...(record.comments ?? [])]) words.delete(id);
  }
  function drop(from: LinearRow[], record: LinearRow | undefined): void {
    if (record) from.splice(from.indexOf(record), 1);
    if (record) words.delete(record.id);
  }
  function dropComment(comment: LinearRow | undefined): void {
    drop(comment?.issue.comments ?? [], comment);
    drop(records.comments, comment);
  }

  return {
    records,
    words,
    ann,
    /** The team `ops` is private, and its only member is Bob. The team `eng` is public, and has a guest. */
    eng,
    ops,
    countMade: () => made,
    write,
    addProject,
    addDocument,
    addIssue,
    addRelease,
    addComment,
    trash,
    drop,
    dropComment,
  };
}
