/** Furnishes a site of Confluence with spaces, pages, blog posts, comments and files. */
import { must } from '../../util.ts';
import { adfOfAllKinds } from './atlassian-adf.ts';
import { storageOfAllKinds } from './confluence-storage.ts';
import type { ConfluenceWords } from './confluence-words.ts';
import type { ConfluenceWorld } from './confluence-world.ts';

/** Nobody hears of contents whose titles begin with "Nobody else". */
export function furnish(
  world: ConfluenceWorld,
  { addSpace, add, addPage: page, addComment, addAttachment }: ConfluenceWords,
) {
  const { ann, bob, me, makers } = world;
  const ops = addSpace('OPS', 'Operations');
  const web = addSpace('WEB', 'Website', {
    readers: [
      { type: 'group', value: makers.id },
      { type: 'user', value: me.accountId },
    ],
  });
  const personal = addSpace(`~${bob.accountId.replace(/\W/g, '')}`, bob.name, {
    type: 'personal',
    author: bob,
  });
  const attic = addSpace('OLD', 'Attic', { status: 'archived' });
  const hidden = world.addSpace('HID', 'Hidden', {
    readers: [{ type: 'group', value: makers.id }],
  });
  world.add('page', hidden, 'Nobody else knows');
  const handbook = page('Handbook', ops, {
    labels: ['water', 'stone'],
    body: {
      storage: storageOfAllKinds(bob.accountId, 'Everything at once.'),
      adf: adfOfAllKinds(bob.accountId, 'Everything at once.'),
    },
  });
  const guide = page('Guide of the weir', ops, { parent: handbook });
  const stones = page('Stones', ops, { parent: guide });
  for (let i = 0; i < 4; i++)
    page(`Chapter ${i}`, i % 2 ? web : ops, i % 2 ? {} : { parent: guide });
  page('My notes', personal);
  page('Forgotten', attic);
  const archived = page('Archived', ops, { status: 'archived' });
  const restricted = page('For few', ops, {
    parent: handbook,
    restriction: [
      { type: 'user', value: me.accountId },
      { type: 'group', value: makers.id },
    ],
  });
  const below = page('Below few', ops, { parent: restricted });
  const secret = world.add('page', ops, 'Nobody else reads', {
    restriction: [{ type: 'user', value: ann.accountId }],
  });
  world.add('page', ops, 'Nobody else finds', { parent: secret });
  world.add('page', ops, 'Nobody else writes', { status: 'draft' });
  const trashed = world.add('page', ops, 'Thrown away', { status: 'trashed' });
  for (let i = 0; i < 3; i++) add('blogpost', i % 2 ? web : ops, `News ${i}`);
  const news = must([...world.contents.values()].find(({ kind }) => kind === 'blogpost'));
  const question = addComment(handbook);
  addComment(handbook, 'footer', question);
  for (const one of [handbook, handbook, stones, news]) addComment(one);
  const remark = addComment(handbook, 'inline');
  addComment(handbook, 'inline', remark);
  remark.resolution = 'resolved';
  const plan = addAttachment(handbook, 'plan.md');
  addAttachment(stones, 'stones.md');
  addAttachment(news, 'news.md');
  return {
    ops,
    web,
    personal,
    attic,
    hidden,
    handbook,
    guide,
    stones,
    archived,
    restricted,
    below,
    trashed,
    news,
    question,
    remark,
    plan,
  };
}
