/** Furnishes a site of Jira with projects, issues, comments and attachments. The account does not see all of them. */
import { must } from '../../util.ts';
import { adfOfAllKinds } from './atlassian-adf.ts';
import { JIRA_ROLES } from './jira-access.ts';
import type { JiraWords } from './jira-words.ts';
import type { JiraWorld } from './jira-world.ts';

/** Nobody hears of records whose texts begin with "Nobody else". */
export function furnish(
  world: JiraWorld,
  { addProject, addIssue, addComment, addAttachment }: JiraWords,
) {
  const { ann, bob, gus } = world;
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
  return {
    ops,
    web,
    hidden,
    attic,
    weir,
    stones,
    heron,
    levelled,
    plan,
    /** Only the makers and the reporter see issues of this security level. */
    makersOnly,
  };
}
