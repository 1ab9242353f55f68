/**
 * Makes a company that keeps a handbook, a database with two data sources, and a part of its own in Notion. Each record
 * has one word, which stands in blocks of many types, in properties, in descriptions and in files.
 */
import { must } from '../../util.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import { addBlocksOfAllTypes } from './notion-blocks.ts';
import { block, columnsOf, mention, text, valuesOf } from './notion-content.ts';
import { NOTION_KEY, openNotion } from './notion-peer.ts';
import { type NotionNode, shownTime } from './notion-world.ts';

const HOUR = 3_600_000;

/** A record of the company that a search must find by its word. */
export interface NotionRecord {
  /** A file is the block that shows it. A file in a property has no id at Notion, and here that of its content. */
  readonly kind: 'page' | 'data_source' | 'comment' | 'file' | 'file_of_property';
  readonly id: string;
  /** The page on which a comment or a file stands, or the record itself. */
  readonly pageId: string;
}

export interface NotionCompanyOptions {
  /**
   * Returns the id that the connector gives to the record, or null when the connector leaves it out. Without this
   * function, the connector leaves out files in properties.
   */
  readonly recordId?: (record: NotionRecord) => string | null;
  readonly config?: object;
  readonly credentials?: Readonly<Record<string, string>>;
}

export type NotionCompany = Awaited<ReturnType<typeof openNotionCompany>>;

export async function openNotionCompany({
  recordId = ({ kind, id }) => (kind === 'file_of_property' ? null : id),
  config = {},
  credentials = { api_key: NOTION_KEY },
}: NotionCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 20_000 });
  const notion = await openNotion(clock);
  const { world, settings } = notion;
  const { ann, bob } = world;
  const words = new Map<
    string,
    { record: NotionRecord; word: string; write: (word: string) => void }
  >();
  let edits = 0;
  let added = 0;
  let removals = 0;

  function keep(record: NotionRecord, write: (word: string) => void): void {
    const word = newWord();
    words.set(record.id, { record, word, write });
    write(word);
  }
  const said = (word: string) => `It is about ${word}.`;

  /** Writes the word into a block, in another place for each page. */
  const places: ((page: NotionNode) => (word: string) => void)[] = [
    (page) => paragraphIn(page.id),
    (page) => paragraphIn(world.addBlock(page.id, block.toggle('More')).id),
    (page) => {
      const columns = world.addBlock(page.id, block.columns());
      world.addBlock(columns.id, block.column());
      return paragraphIn(world.addBlock(columns.id, block.column()).id);
    },
    (page) => {
      const table = world.addBlock(page.id, block.table(2));
      world.addBlock(table.id, block.row('What', 'Word'));
      return contentOf(world.addBlock(table.id, block.row('This', '')), (word) =>
        block.row('This', said(word)),
      );
    },
    (page) =>
      contentOf(world.addBlock(page.id, block.callout('')), (word) => block.callout(said(word))),
    (page) =>
      contentOf(world.addBlock(page.id, block.code('')), (word) =>
        block.code(`const ${word} = 1;`),
      ),
    (page) => paragraphIn(world.addBlock(page.id, block.synced(null)).id),
  ];
  const contentOf =
    (
      node: NotionNode,
      make: (word: string) => ReturnType<(typeof block)['row' | 'callout' | 'code' | 'paragraph']>,
    ) =>
    (word: string) => {
      node.content = () => make(word);
      world.touch(node);
    };
  const paragraphIn = (parent: string) =>
    contentOf(world.addBlock(parent, block.paragraph('')), (word) =>
      block.paragraph([text('It is about '), text(word, { bold: true }), text('.')]),
    );

  function addPage(title: string, parent: string | null): NotionNode {
    const page = world.addPage(title, parent);
    keep(
      { kind: 'page', id: page.id, pageId: page.id },
      must(places[added++ % places.length])(page),
    );
    return page;
  }
  /** A row has a property of every kind, and the word stands in one of them. */
  function addRow(source: NotionNode, title: string, depends: readonly string[] = []): NotionNode {
    let notes = '';
    const number = ++added;
    const papers = world.addFile('plan.md', '');
    const row = world.addPage(title, source.id, {
      values: (node, file) =>
        valuesOf({
          user: ann,
          title: node.title,
          notes,
          depends,
          number,
          createdTime: shownTime(node.createdAt),
          editedTime: shownTime(node.editedAt),
          file: file(papers),
        }),
    });
    keep({ kind: 'page', id: row.id, pageId: row.id }, (word) => {
      notes = said(word);
      world.touch(row);
    });
    // Notion never changes the content of a stored file: another one has another address.
    keep({ kind: 'file_of_property', id: papers, pageId: row.id }, (word) => {
      must(world.files.get(papers)).content = `# Plan of a row\n\n${said(word)}\n`;
    });
    return row;
  }
  /** A comment alone changes no time, so the person who writes, changes or removes one here edits the page as well. */
  function addComment(page: NotionNode, on: NotionNode = page): string {
    const comment = world.addComment(on.id, '');
    keep({ kind: 'comment', id: comment.id, pageId: page.id }, (word) => {
      comment.body = [mention.user(bob), text(`: ${said(word)}`)];
      comment.editedAt = Date.now();
      world.touch(page);
    });
    return comment.id;
  }
  function addFile(page: NotionNode, name: string): NotionNode {
    const file = world.addFile(name, '');
    const node = world.addBlock(page.id, (at) => block.file(name, at(file)));
    keep({ kind: 'file', id: node.id, pageId: page.id }, (word) => {
      must(world.files.get(file)).content = `# Plan\n\n${said(word)}\n`;
      world.touch(node);
    });
    return node;
  }
  function addSource(database: NotionNode, title: string): NotionNode {
    const source = world.add('data_source', database.id, { title });
    source.columns = columnsOf(source.id);
    keep({ kind: 'data_source', id: source.id, pageId: source.id }, (word) => {
      source.description = said(word);
      world.touch(source);
    });
    return source;
  }

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
  const { plan, pdf } = addBlocksOfAllTypes(world, { page: handbook, linked: deep, copied: guide });
  keep({ kind: 'file', id: pdf.id, pageId: handbook.id }, (word) => {
    must(world.files.get(plan)).content = pdfFile([[said(word)]]);
    world.touch(pdf);
  });
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
    expected: () =>
      new Map(
        [...words.values()].flatMap(({ record, word }) => {
          const id = recordId(record);
          return id === null ? [] : [[id, word] as const];
        }),
      ),
    edit() {
      const kinds = ['page', 'comment', 'file', 'page', 'data_source'] as const;
      const wanted = open(must(kinds[edits % kinds.length]));
      const found = wanted.length > 0 ? wanted : open('page');
      const { record, write } = must(found[edits++ % found.length]);
      keep(record, write);
    },
    add() {
      const page = addPage(`Added ${added}`, added % 2 ? handbook.id : null);
      addComment(page);
      addRow(tasks.isTrashed || !world.isVisible(tasks) ? ops : tasks, `Added row ${added}`);
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
