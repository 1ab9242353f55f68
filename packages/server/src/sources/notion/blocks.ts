/**
 * Writes the blocks of a page as Markdown (https://developers.notion.com/reference/block). A block of an unknown type is
 * written as a paragraph. Links to files that Notion hosts are left out, because they end after an hour.
 */
import { type TableParts, writeTable } from '../../documents/html-table.ts';
import {
  createMarkdownWriter,
  fenced,
  type MarkdownWriter,
} from '../../documents/markdown-writer.ts';
import type { NotionBlock, Rich } from './answer.ts';
import { nameOf } from './hosted.ts';
import { plain, targetOf, writeRich } from './rich-text.ts';
import type { BlockTree } from './tree.ts';

interface Output {
  readonly writer: MarkdownWriter;
  /** Maps the ids of pages and databases to which blocks link to their titles. */
  readonly titles: ReadonlyMap<string, string>;
}
type WriteBlock = (tree: BlockTree, output: Output, number: number) => void;

export function markdownOf(trees: readonly BlockTree[], titles: Output['titles']): string {
  const output = { writer: createMarkdownWriter(), titles };
  writeAll(trees, output);
  return output.writer.result();
}

export const isKnownType = (type: string): boolean => Object.hasOwn(WRITERS, type);

function writeAll(trees: readonly BlockTree[], output: Output): void {
  let number = 0;
  for (const tree of trees) {
    const { type, content } = tree.block;
    const isFirst = number === 0;
    number = type !== 'numbered_list_item' ? 0 : isFirst ? content.list_start_index : number + 1;
    const write = isKnownType(type) ? WRITERS[type] : paragraph;
    write?.(tree, output, number);
  }
}

const paragraph: WriteBlock = ({ block, children }, output) => {
  const { rich_text, title } = block.content;
  writeParagraph(rich_text.length > 0 || typeof title === 'string' ? rich_text : title, output);
  writeAll(children, output);
};

function writeParagraph(rich: Rich, { writer }: Output): void {
  writer.block();
  writeRich(writer, rich);
  writer.block();
}

const heading =
  (level: number): WriteBlock =>
  ({ block, children }, output) => {
    const { writer } = output;
    writer.block();
    writer.enter({ prefix: '', marker: `${'#'.repeat(level)} ` });
    writeRich(writer, block.content.rich_text, { inOneLine: true });
    writer.leave();
    writer.block();
    writeAll(children, output);
  };

const item =
  (markerOf: (block: NotionBlock, number: number) => string): WriteBlock =>
  ({ block, children }, output, number) => {
    const { writer } = output;
    const marker = markerOf(block, number);
    writer.newLine();
    const prefix = ' '.repeat(marker.indexOf(' ') + 1);
    writer.enter({ prefix, marker, list: true });
    writeRich(writer, block.content.rich_text);
    writer.newLine();
    writeAll(children, output);
    writer.leave();
    writer.newLine();
  };

const quote: WriteBlock = ({ block, children }, output) => {
  const { writer } = output;
  const { rich_text, icon } = block.content;
  writer.block();
  writer.enter({ prefix: '> ', marker: '> ' });
  if (icon?.emoji) writer.text(`${icon.emoji} `);
  writeRich(writer, rich_text);
  writer.block();
  writeAll(children, output);
  writer.leave();
  writer.block();
};

const code: WriteBlock = ({ block }, output) => {
  const { rich_text, caption, language } = block.content;
  const text = rich_text.map(({ plain_text }) => plain_text).join('');
  if (text.trim() !== '') output.writer.verbatim(fenced(text, languageOf(language)));
  writeParagraph(caption, output);
};

const languageOf = (language: string): string =>
  language !== 'plain text' && /^[\w+#. /-]{1,30}$/.test(language)
    ? language.replaceAll(/[ /]+/g, '-')
    : '';

const equation: WriteBlock = ({ block }, { writer }) => {
  const { expression } = block.content;
  if (expression.trim() !== '') writer.verbatim(`$$\n${expression}\n$$`);
};

const table: WriteBlock = ({ children }, { writer }) => {
  const rows = children.map(({ block }) => block.content.cells.map(cellOf));
  writer.block();
  writeTable({ rows, isLayout: false } satisfies TableParts, writer);
  writer.block();
};

function cellOf(cell: Rich): string {
  const writer = createMarkdownWriter();
  writeRich(writer, cell, { inOneLine: true });
  return writer.result();
}

/** Writes a file, or a link: its caption, or else its name or address, with the address of what Notion does not host. */
const link: WriteBlock = ({ block, children }, output) => {
  const { content } = block;
  const target = targetOf(content.external?.url || content.url);
  const caption = plain(content.caption);
  const name = content.file ? nameOf(content) : content.name;
  const words = [...new Set([name, caption])].filter((one) => one !== '').join(': ');
  output.writer.block();
  if (target === null) output.writer.text(words);
  else output.writer.text(words === '' ? target : `[${words}](${target})`);
  output.writer.block();
  writeAll(children, output);
};

const title: WriteBlock = ({ block }, { writer }) => {
  const { title } = block.content;
  writer.block();
  writer.text(typeof title === 'string' ? title : plain(title));
  writer.block();
};

const linkToPage: WriteBlock = ({ block }, { writer, titles }) => {
  writer.block();
  writer.text(titles.get(linkedFrom(block)) ?? '');
  writer.block();
};

/** Returns the id of the page or database to which the block links, or ''. */
export const linkedFrom = ({ type, content }: NotionBlock): string =>
  type === 'link_to_page' ? content.page_id || content.database_id : '';

const nothing: WriteBlock = () => {};

const WRITERS: Readonly<Record<string, WriteBlock>> = {
  ...{ paragraph, toggle: paragraph, template: paragraph, synced_block: paragraph },
  ...{ column_list: paragraph, column: paragraph, tab: paragraph },
  ...{ transcription: paragraph, meeting_notes: paragraph },
  ...{ heading_1: heading(1), heading_2: heading(2), heading_3: heading(3), heading_4: heading(4) },
  bulleted_list_item: item(() => '- '),
  numbered_list_item: item((_, number) => `${number}. `),
  to_do: item(({ content }) => (content.checked ? '- [x] ' : '- [ ] ')),
  ...{ quote, callout: quote, code, equation, table, table_row: nothing },
  ...{ image: link, video: link, audio: link, pdf: link, file: link },
  ...{ bookmark: link, embed: link, link_preview: link, link_to_page: linkToPage },
  ...{ child_page: title, child_database: title },
  ...{ divider: nothing, breadcrumb: nothing, table_of_contents: nothing },
};
