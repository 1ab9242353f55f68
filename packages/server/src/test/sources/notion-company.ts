/**
 * Makes a company that keeps a handbook, a database with two data sources, and a part of its own in Notion, and changes it.
 */
import { must } from '../../util.ts';
import type { CloudFake } from './cloud-company.ts';
import { HOUR, makeCompanyClock } from './company-clock.ts';
import { type CompanyOptions, wordsOf } from './company-words.ts';
import { block } from './notion-content.ts';
import { NOTION_KEY, openNotion } from './notion-peer.ts';
import { makeNotionWords, type NotionRecord } from './notion-words.ts';
import type { NotionNode } from './notion-world.ts';

export type NotionCompany = Awaited<ReturnType<typeof openNotionCompany>>;

/** Without `recordId`, the connector leaves out files in properties. */
export async function openNotionCompany({
  recordId = ({ kind, id }) => (kind === 'file_of_property' ? null : id),
  config = {},
  credentials = { api_key: NOTION_KEY },
}: CompanyOptions<NotionRecord> = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 20_000 });
  const notion = await openNotion(clock);
  const { world, settings } = notion;
  const writer = makeNotionWords(world);
  const { words, keep, addPage, addRow, addComment, addFile, addSource, addBlocks, countAdded } =
    writer;
  let edits = 0;
  let removals = 0;

  const handbook = addPage('Handbook', null);
  const guide = addPage('Guide of the weir', handbook.id);
  const deep = addPage('Stones', guide.id);
  const database = world.add('database', handbook.id, { title: 'Tasks' });
  const tasks = addSource(database, 'Tasks');
  const old = addSource(database, 'Old tasks');
  const firstRow = addRow(tasks, 'Mend the weir');
  for (let i = 0; i < 4; i++) addRow(tasks, `Task ${i}`, [firstRow.id]);
  for (let i = 0; i < 2; i++) addRow(old, `Old task ${i}`);
  for (let i = 0; i < 4; i++) addPage(`Chapter ${i}`, i % 2 ? guide.id : handbook.id);
  const attic = addPage('Attic', null);
  const opsBase = world.add('database', attic.id, { title: 'Operations' });
  const ops = addSource(opsBase, 'Operations');
  for (let i = 0; i < 2; i++) addRow(ops, `Operation ${i}`);
  for (const page of [handbook, handbook, deep, firstRow]) addComment(page);
  const remark = world.addBlock(
    handbook.id,
    block.paragraph('Somebody asks about this paragraph.'),
  );
  addComment(handbook, remark);
  const handbookFile = addFile(handbook, 'rules.md');
  addFile(deep, 'stones.md');
  addBlocks({ page: handbook, linked: deep, copied: guide });
  const trashed = addPage('Trashed', handbook.id);
  trashed.isTrashed = true;
  words.delete(trashed.id);
  settings.largestPage = 3;
  clock.endPast();

  const pageOf = ({ pageId }: NotionRecord) => must(world.nodes.get(pageId));
  const isForbidden = (record: NotionRecord) =>
    [...settings.forbidden].some((id) => world.isBelow(pageOf(record), id));
  const open = (kind: NotionRecord['kind']) =>
    [...words.values()].filter(({ record }) => record.kind === kind && !isForbidden(record));
  /** Forgets the words of everything at the node and below it. */
  const forgetBelow = ({ id }: NotionNode) => {
    for (const { record } of [...words.values()])
      if (world.isBelow(pageOf(record), id)) words.delete(record.id);
  };
  function trash(node: NotionNode): void {
    node.isTrashed = true;
    world.touch(node);
    forgetBelow(node);
  }
  /** Takes the object and everything below it from the integration. No time changes. */
  function unshare(node: NotionNode): void {
    node.isShared = false;
    forgetBelow(node);
  }
  function removeComment(id: string): void {
    const { record } = must(words.get(id));
    world.comments.delete(id);
    words.delete(id);
    world.touch(pageOf(record));
  }
  function removeFile(node: NotionNode): void {
    world.removeBlock(node);
    words.delete(node.id);
  }
  const isLeaf = ({ record }: { record: NotionRecord }) =>
    world.childrenOf(record.id).every(({ kind }) => kind === 'block') &&
    [...words.values()].every(
      ({ record: { pageId, kind } }) =>
        pageId !== record.id || kind === 'page' || kind === 'file_of_property',
    );
  const leaf = () => pageOf(must(open('page').findLast(isLeaf)).record);

  const company = {
    ...notion,
    config,
    credentials,
    expected: () => wordsOf(words.values(), ({ record }) => recordId(record)),
    edit() {
      const kinds = ['page', 'comment', 'file', 'page', 'data_source'] as const;
      const wanted = open(must(kinds[edits % kinds.length]));
      const found = wanted.length > 0 ? wanted : open('page');
      const { record, write } = must(found[edits++ % found.length]);
      keep(record, write);
    },
    add() {
      const added = countAdded();
      const page = addPage(`Added ${added}`, added % 2 ? handbook.id : null);
      addComment(page);
      addRow(tasks.isTrashed || !world.isVisible(tasks) ? ops : tasks, `Added row ${countAdded()}`);
    },
    remove() {
      const steps = [
        () => trash(leaf()),
        () => removeComment(must(open('comment')[0]).record.id),
        () => removeFile(must(world.nodes.get(must(open('file')[0]).record.id))),
        () => unshare(leaf()),
      ];
      must(steps[removals++ % steps.length])();
    },
    removeMany: () => trash(guide),
    removePart: () => unshare(database),
    forbidPart: () => void settings.forbidden.add(ops.id),
    shuffle() {
      for (let i = 0; i < 3; i++) company.edit();
      company.add();
    },
    addPage,
    addRow,
    addComment,
    addFile,
    trash,
    unshare,
    removeComment,
    removeFile,
    /** The page Handbook has blocks of every type. Tasks and Old tasks are data sources of one database. */
    handbook,
    guide,
    deep,
    attic,
    database,
    tasks,
    old,
    ops,
    firstRow,
    remark,
    handbookFile,
    trashed,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
