/** A company that plans its work in Linear, in a public and a private team, and how it changes. */
import type { CloudCompany } from './cloud-company.ts';
import { LARGE_PAGE, LINEAR_KEY, openLinearPeer, refused, UNAUTHORIZED } from './linear-peer.ts';
import type { LinearRow, LinearWorld } from './linear-world.ts';

export type LinearCompany = Awaited<ReturnType<typeof openLinearCompany>>;

export async function openLinearCompany() {
  const { peer, world, settings } = await openLinearPeer();
  const { records, words, eng, ops } = world;
  const { project, first, second } = fill(world);
  let edits = 0;
  let removals = 0;

  const live = (rows: LinearRow[]) => rows.filter(({ archivedAt }) => archivedAt === null);
  const isHere = ({ id, issue, team }: LinearRow) =>
    words.has(id) && !issue?.archivedAt && !settings.forbidden.has((issue?.team ?? team)?.id);
  /** Returns an issue that may go. When only one is left, returns another one that stays beside it. */
  const spare = (): LinearRow => {
    const issues = live(records.issues);
    return issues[3] ?? (issues.length > 1 ? (issues.at(-1) as LinearRow) : world.addIssue(eng));
  };
  const addIssue = () => {
    const isOfEng = world.countMade() % 2 || !records.teams.includes(ops);
    world.addComment(world.addIssue(isOfEng ? eng : ops));
  };
  const limited = (headers: Record<string, string>) =>
    refused(400, 'ratelimited', 'Rate limit exceeded', headers);

  return {
    peer,
    world,
    settings,
    config: {},
    credentials: { api_key: LINEAR_KEY },
    refusals: {
      unauthorized: UNAUTHORIZED,
      rateLimited: [
        limited({ 'retry-after': '3600' }),
        limited({
          'x-ratelimit-requests-remaining': '17',
          'x-ratelimit-requests-reset': String(Date.now() + 60_000),
          'x-ratelimit-complexity-remaining': '0',
          'x-ratelimit-complexity-reset': String(Date.now() + 3_590_000),
        }),
      ],
      serverError: refused(500, 'internal error', 'Something broke'),
    },
    acceptToken(accepted: string) {
      settings.token = accepted;
    },
    expected: () => new Map(words),
    edit() {
      const kinds = [
        [records.issues, 'description'],
        [records.comments, 'body'],
        [records.projects, 'content'],
        [records.documents, 'content'],
      ] as const;
      const fromHere = kinds.map((_, i) => kinds[(edits + i) % kinds.length] as (typeof kinds)[0]);
      const [found, field] = fromHere
        .map(([rows, field]) => [live(rows).filter(isHere), field] as const)
        .find(([rows]) => rows.length > 0) as [LinearRow[], string];
      world.write(found[edits++ % found.length] as LinearRow, field);
    },
    add() {
      const issues = live(records.issues).slice(0, 3);
      world.addComment(issues[world.countMade() % issues.length] as LinearRow);
      addIssue();
    },
    remove() {
      const steps = [
        () => world.trash(spare()),
        () => world.dropComment(first.comments[2]),
        () => world.drop(records.documents, records.documents[1]),
        () => world.drop(records.issues, spare()),
      ];
      steps[removals++ % steps.length]?.();
    },
    removeMany() {
      for (const issue of live(records.issues).slice(0, 4)) world.trash(issue);
      for (const document of live(records.documents).slice(0, 2)) world.trash(document);
    },
    removePart() {
      world.drop(records.teams, ops);
      for (const issue of records.issues.filter(({ team }) => team === ops)) {
        for (const comment of [...issue.comments]) world.dropComment(comment);
        world.drop(records.issues, issue);
      }
    },
    forbidPart: () => void settings.forbidden.add(ops.id),
    forgetCursors: () => void settings.epoch++,
    resync: {
      widen() {
        settings.usualPage = LARGE_PAGE;
      },
      grow() {
        const issue = world.addIssue(ops, { project });
        for (let i = 0; i < 11; i++) world.addComment(issue);
        world.addDocument('Grown', world.addProject('Grown', eng));
      },
    },
    shuffle() {
      const issues = live(records.issues);
      for (const issue of [issues[0], issues.at(-1)])
        world.write(issue as LinearRow, 'description');
      addIssue();
      for (const comment of [second.comments[0], first.comments[5]])
        if (words.has(comment?.id)) world.write(comment, 'body');
      world.write(records.projects[0] as LinearRow, 'content');
      world.write(records.documents.at(-1) as LinearRow, 'content');
    },
  } satisfies CloudCompany & Record<string, unknown>;
}

function fill(world: LinearWorld) {
  const { eng, ops, ann, addComment, addDocument, addIssue, addProject } = world;
  world.trash(addIssue(eng));
  const project = addProject('Harbour', eng);
  for (let i = 0; i < 3; i++) addProject(`Pier ${i}`, ops);
  for (let i = 0; i < 4; i++) addDocument(`Notes ${i}`, i === 0 ? project : null);
  const first = addIssue(eng, { project, assignee: ann, dueDate: '2026-12-31' });
  for (let i = 0; i < 11; i++) addComment(first);
  const second = addIssue(eng, { parent: first });
  addComment(second);
  for (let i = 0; i < 4; i++) addIssue(eng);
  for (let i = 0; i < 4; i++) addComment(addIssue(ops));
  return { project, first, second };
}
