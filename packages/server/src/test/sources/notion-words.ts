/**
 * Writes records of the company in Notion, each with a word of its own, which stands in blocks of many types, in properties,
 * in descriptions and in files.
 */
import { must } from '../../util.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { makeCompanyWords, said } from './company-words.ts';
import { addBlocksOfAllTypes, type BlockPlaces } from './notion-blocks.ts';
import { columnsOf, valuesOf } from './notion-columns.ts';
import { block, mention, text } from './notion-content.ts';
import { shownTime } from './notion-shapes.ts';
import type { NotionNode, NotionWorld } from './notion-world.ts';

/** A record of the company that a search must find by its word. */
export interface NotionRecord {
  /** A file is the block that shows it. A file in a property has no id at Notion, and here that of its content. */
  readonly kind: 'page' | 'data_source' | 'comment' | 'file' | 'file_of_property';
  readonly id: string;
  /** The page on which a comment or a file stands, or the record itself. */
  readonly pageId: string;
}

export function makeNotionWords(world: NotionWorld) {
  const { ann, bob } = world;
  const { words, keep } = makeCompanyWords(({ id }: NotionRecord) => id);
  let added = 0;

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

  function addBlocks(places: BlockPlaces): void {
    const { plan, pdf } = addBlocksOfAllTypes(world, places);
    keep({ kind: 'file', id: pdf.id, pageId: places.page.id }, (word) => {
      must(world.files.get(plan)).content = pdfFile([[said(word)]]);
      world.touch(pdf);
    });
  }

  return {
    words,
    keep,
    addBlocks,
    addPage,
    addRow,
    addComment,
    addFile,
    addSource,
    countAdded: () => added,
  };
}
