/** Furnishes a site of Confluence with spaces, pages, blog posts, comments and files, and says where words stand. */
import { must } from '../../util.ts';
import { type AdfNode, adf, adfOfAllKinds } from './atlassian-adf.ts';
import type {
  ConfluenceAttachment,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceSpace,
} from './confluence-records.ts';
import { storage, storageOfAllKinds } from './confluence-storage.ts';
import type { ConfluenceWorld } from './confluence-world.ts';

export const said = (word: string) => `It is about ${word}.`;
/** Writes the word into an element of another kind for each content. */
export const PLACES: readonly ((word: string) => { storage: string; node: AdfNode })[] = [
  (word) => ({
    storage: storage.paragraph(`It is about <strong>${word}</strong>.`),
    node: adf.paragraph([adf.text('It is about '), adf.text(word, 'strong'), adf.text('.')]),
  }),
  (word) => ({ storage: storage.heading(3, said(word)), node: adf.heading(3, said(word)) }),
  (word) => ({ storage: storage.bullets(said(word)), node: adf.bullets(said(word)) }),
  (word) => ({
    storage: storage.table(['What', 'Word'], ['This', said(word)]),
    node: adf.table(['What', 'Word'], ['This', said(word)]),
  }),
  (word) => ({
    storage: storage.code(`const ${word} = 1;`),
    node: adf.code(`const ${word} = 1;`),
  }),
  (word) => ({ storage: storage.panel('note', said(word)), node: adf.panel(said(word)) }),
  (word) => ({
    storage: storage.tasks({ text: said(word), isDone: true }),
    node: adf.tasks({ text: said(word), isDone: true }),
  }),
  (word) => ({ storage: storage.expand('More', said(word)), node: adf.expand('More', said(word)) }),
  (word) => ({
    storage: storage.layout(storage.paragraph('Left'), storage.paragraph(said(word))),
    node: adf.quote(said(word)),
  }),
];

interface Builders {
  readonly world: ConfluenceWorld;
  addSpace(key: string, name: string, more?: Partial<ConfluenceSpace>): ConfluenceSpace;
  add(
    kind: 'page' | 'blogpost',
    space: ConfluenceSpace,
    title: string,
    more?: Partial<ConfluenceContent>,
  ): ConfluenceContent;
  addComment(
    on: ConfluenceContent,
    kind?: ConfluenceComment['kind'],
    parent?: ConfluenceComment,
  ): ConfluenceComment;
  addAttachment(on: ConfluenceContent, name: string): ConfluenceAttachment;
}

/** Nobody hears of contents whose titles begin with "Nobody else". */
export function furnish({ world, addSpace, add, addComment, addAttachment }: Builders) {
  const { ann, bob, me, makers } = world;
  const page = (title: string, space: ConfluenceSpace, more: Partial<ConfluenceContent> = {}) =>
    add('page', space, title, more);
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
