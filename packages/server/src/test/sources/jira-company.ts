/**
 * Makes a company that plans its work in Jira, and changes it: people edit, move, hide and delete what the account reads.
 */
import { must } from '../../util.ts';
import {
  ATLASSIAN_CREDENTIALS,
  type AtlassianCompanyOptions,
  configAt,
  usualAtlassianId,
} from './atlassian-company.ts';
import type { CloudFake } from './cloud-company.ts';
import { HOUR, makeCompanyClock } from './company-clock.ts';
import { wordsOf } from './company-words.ts';
import { furnish } from './jira-house.ts';
import { openJira } from './jira-peer.ts';
import type { JiraIssue, JiraProject } from './jira-records.ts';
import { type JiraRecord, makeJiraWords } from './jira-words.ts';

export type JiraCompany = Awaited<ReturnType<typeof openJiraCompany>>;

export async function openJiraCompany({
  recordId = usualAtlassianId,
  config = {},
  credentials = ATLASSIAN_CREDENTIALS,
}: AtlassianCompanyOptions<JiraRecord> = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 20_000 });
  const jira = await openJira(clock);
  const { world, settings } = jira;
  const writer = makeJiraWords(world);
  const { words, keep, addIssue, addComment, addAttachment, countAdded } = writer;
  let edits = 0;
  let removals = 0;

  const house = furnish(world, writer);
  const { ops, web, weir, stones, makersOnly } = house;
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
    config: configAt(config, jira.peer),
    credentials,
    expected: () => wordsOf(words.values(), ({ record }) => recordId(record)),
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
      const added = countAdded();
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
    ...house,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
