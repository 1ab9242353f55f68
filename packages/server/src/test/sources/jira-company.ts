/**
 * Makes a company that plans its work in Jira: in two projects, with subtasks, links, comments and attachments, and a third
 * project that the account may not browse. Each record has one word, which stands in nodes of many kinds.
 */
import { must } from '../../util.ts';
import { type AdfDocument, type AdfNode, adf, adfOfAllKinds } from './atlassian-adf.ts';
import { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL } from './atlassian-gate.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import { openJira } from './jira-peer.ts';
import type { JiraComment, JiraIssue, JiraProject } from './jira-records.ts';
import { JIRA_ROLES } from './jira-world.ts';

const HOUR = 3_600_000;

/** A record of the company that a search must find by its word. */
export interface JiraRecord {
  readonly kind: 'project' | 'issue' | 'comment' | 'attachment';
  readonly id: string;
  /** The issue on which a comment or an attachment stands, or the record itself. */
  readonly issueId: string;
}

export interface JiraCompanyOptions {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: JiraRecord) => string | null;
  /** A function gets the address of the fake. */
  readonly config?: object | ((baseUrl: string) => object);
  readonly credentials?: Readonly<Record<string, string>>;
}

export type JiraCompany = Awaited<ReturnType<typeof openJiraCompany>>;

const said = (word: string) => `It is about ${word}.`;
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

export async function openJiraCompany({
  recordId = ({ kind, id }) => `${kind}/${id}`,
  config = {},
  credentials = { email: ATLASSIAN_EMAIL, api_token: ATLASSIAN_API_TOKEN },
}: JiraCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 20_000 });
  const jira = await openJira(clock);
  const { world, settings } = jira;
  const { ann, bob, gus } = world;
  const words = new Map<
    string,
    { record: JiraRecord; word: string; write: (word: string) => void }
  >();
  let edits = 0;
  let added = 0;
  let removals = 0;

  function keep(record: JiraRecord, write: (word: string) => void): void {
    const word = newWord();
    words.set(`${record.kind}/${record.id}`, { record, word, write });
    write(word);
  }
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

  const [administrators, developers] = JIRA_ROLES;
  const secret = world.addScheme('Who may read', {
    Makers: [{ type: 'group', value: world.makers.id }, { type: 'reporter' }],
    Readers: [
      { type: 'projectRole', value: developers.id },
      { type: 'user', value: world.me.accountId },
    ],
  });
  const [makersOnly, readers] = [must(secret.levels[0]), must(secret.levels[1])];
  const ops = addProject('OPS', 'Operations', { scheme: secret });
  const web = addProject('WEB', 'Website', {
    browse: [
      { type: 'projectRole', value: developers.id },
      { type: 'user', value: world.me.accountId },
    ],
  });
  web.roles.set(developers.id, [
    { type: 'group', value: world.makers.id },
    { type: 'user', value: bob.accountId },
  ]);
  web.roles.set(administrators.id, [{ type: 'user', value: ann.accountId }]);
  const hidden = world.addProject('HID', 'Hidden', {
    browse: [{ type: 'group', value: world.makers.id }],
  });
  world.addIssue(hidden, 'Nobody else knows');
  const attic = world.addProject('OLD', 'Attic', { state: 'archived' });
  world.addIssue(attic, 'Nobody else keeps');

  const weir = addIssue(ops, 'Mend the weir', {
    description: adfOfAllKinds(bob.accountId, 'Everything at once.'),
    labels: ['water', 'stone'],
    dueDate: '2026-12-24',
  });
  const stones = addIssue(ops, 'Carry stones', { parent: weir });
  addIssue(ops, 'Count stones', { parent: weir, status: 'Done', priority: null });
  const heron = addIssue(web, 'Draw a heron', { type: 'Bug', reporter: gus, assignee: null });
  for (let i = 0; i < 5; i++) addIssue(i % 2 ? web : ops, `Task ${i}`);
  const levelled = addIssue(ops, 'For readers', { level: readers });
  world.addIssue(ops, 'Nobody else reads', { level: makersOnly });
  world.link(weir, heron);
  for (const issue of [weir, weir, weir, weir, stones, heron]) addComment(issue);
  addComment(weir, { visibility: { type: 'group', value: world.staff.id } });
  world.addComment(weir, 'Nobody else hears', {
    visibility: { type: 'role', value: developers.id },
  });
  const plan = addAttachment(weir, 'plan.md');
  addAttachment(heron, 'heron.md');
  settings.largestPage = 3;
  settings.mostComments = 2;
  clock.endPast();

  const issueOf = ({ issueId }: JiraRecord) => world.issues.get(issueId);
  const projectOf = (record: JiraRecord) =>
    must(record.kind === 'project' ? world.projects.get(record.id) : issueOf(record)?.project);
  const open = (kind: JiraRecord['kind']) =>
    [...words.values()].filter(
      ({ record }) => record.kind === kind && !settings.forbidden.has(projectOf(record).id),
    );
  const isOpen = (project: JiraProject) =>
    world.canBrowse(world.me, project) && !settings.forbidden.has(project.id);
  const issuesOf = () => open('issue').map(({ record }) => must(issueOf(record)));
  /** Forgets the words of records that are gone, or that the account does not see any longer. */
  function forget(): void {
    for (const [key, { record }] of [...words]) {
      const issue = issueOf(record);
      const isThere =
        record.kind === 'project'
          ? world.canBrowse(world.me, projectOf(record)) && projectOf(record).state === 'live'
          : issue !== undefined &&
            world.canSee(world.me, issue) &&
            (record.kind !== 'comment' || world.comments.has(record.id)) &&
            (record.kind !== 'attachment' || world.attachments.has(record.id));
      if (!isThere) words.delete(key);
    }
  }
  function deleteIssue(issue: JiraIssue): void {
    world.deleteIssue(issue);
    forget();
  }
  /** The issue keeps its id, and gets another key. */
  function move(issue: JiraIssue, project = issue.project === ops ? web : ops): void {
    world.move(issue, project);
    forget();
  }
  function hide(issue: JiraIssue): void {
    issue.level = makersOnly;
    world.touch(issue);
    forget();
  }
  function removeComment(id: string): void {
    const { issueId } = must(world.comments.get(id));
    world.comments.delete(id);
    world.touch(must(world.issues.get(issueId)));
    forget();
  }
  function removeAttachment(id: string): void {
    const { issueId } = must(world.attachments.get(id));
    world.attachments.delete(id);
    world.touch(must(world.issues.get(issueId)));
    forget();
  }
  const leaf = () =>
    must(
      issuesOf().findLast(
        (one) =>
          world.subtasksOf(one).length + world.commentsOf(one).length === 0 && one !== stones,
      ),
    );
  const rewrite = (kind: JiraRecord['kind']) => {
    const known = open(kind).filter(({ record }) => recordId(record) !== null);
    const { record, write } = must(known[edits % known.length]);
    keep(record, write);
  };

  const company = {
    ...jira,
    config: typeof config === 'function' ? config(jira.peer.baseUrl) : config,
    credentials,
    expected: () =>
      new Map(
        [...words.values()].flatMap(({ record, word }) => {
          const id = recordId(record);
          return id === null ? [] : [[id, word] as const];
        }),
      ),
    /** Every fifth edit also moves an issue to the other project. */
    edit() {
      const kinds = ['issue', 'comment', 'issue', 'project', 'issue'] as const;
      const kind = must(kinds[edits % kinds.length]);
      const isKnown = open(kind).some(({ record }) => recordId(record) !== null);
      rewrite(isKnown ? kind : 'issue');
      const canMove = [ops, web].every(isOpen);
      if (edits++ % 5 === 4 && canMove) move(leaf());
    },
    add() {
      const isWeb = added % 2 === 1 && isOpen(web);
      const issue = addIssue(isWeb ? web : ops, `Added ${added}`);
      addComment(issue);
      addAttachment(issue, 'added.md');
    },
    remove() {
      /** Where earlier steps have removed all of a kind, an issue goes instead. */
      const removeOr = (removeIt: (id: string) => void, one?: { readonly record: JiraRecord }) =>
        one ? removeIt(one.record.id) : deleteIssue(leaf());
      const steps = [
        () => deleteIssue(leaf()),
        () => removeOr(removeComment, open('comment')[0]),
        () => removeOr(removeAttachment, open('attachment')[0]),
        () => hide(leaf()),
      ];
      must(steps[removals++ % steps.length])();
    },
    /** Deletes an issue with its subtasks, comments and attachments. */
    removeMany: () => deleteIssue(weir),
    removePart() {
      web.browse = [{ type: 'group', value: world.makers.id }];
      forget();
    },
    forbidPart: () => void settings.forbidden.add(web.id),
    shuffle() {
      for (let i = 0; i < 3; i++) company.edit();
      company.add();
    },
    addIssue,
    addComment,
    addAttachment,
    deleteIssue,
    move,
    hide,
    removeComment,
    removeAttachment,
    ops,
    web,
    hidden,
    attic,
    weir,
    stones,
    heron,
    levelled,
    plan,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
