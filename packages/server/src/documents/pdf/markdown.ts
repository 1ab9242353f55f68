/**
 * Writes pages of lines as Markdown. The text of a PDF is not Markdown, so it is escaped: a line such as `# comment`
 * must not become a title.
 */
import { cellText } from '../cell-text.ts';
import { writeTable } from '../html-table.ts';
import { type JoinedParts, joinParts } from '../join-parts.ts';
import { createMarkdownWriter, fenced, textLine } from '../markdown-writer.ts';
import type { PdfLine, PdfPage } from './line.ts';
import { type PdfTable, tablesOf } from './tables.ts';
import { type PdfTitle, titleText } from './titles.ts';

type Titles = ReadonlyMap<PdfLine, PdfTitle>;

export function pagesToMarkdown(pages: readonly PdfPage[], titles: Titles): JoinedParts {
  const isCode = isMostlyFixedPitch(pages)
    ? () => false
    : (line: PdfLine) => line.fixedPitch && !titles.has(line);
  const tables = tablesOf(pages, (line) => titles.has(line) || line.fixedPitch);
  const marks = { titles, tables, isCode };
  return joinParts(pages.map((page) => blocksOf(page, marks).join('\n\n')));
}

/** Returns true when most of the text has a font of fixed width. Then such a font is not a sign of program text. */
function isMostlyFixedPitch(pages: readonly PdfPage[]): boolean {
  let balance = 0;
  for (const page of pages)
    for (const { fixedPitch, characters } of page) balance += fixedPitch ? characters : -characters;
  return balance > 0;
}

interface PdfMarks {
  readonly titles: Titles;
  readonly tables: ReadonlyMap<PdfLine, PdfTable>;
  readonly isCode: (line: PdfLine) => boolean;
}

function blocksOf(page: PdfPage, { titles, tables, isCode }: PdfMarks): string[] {
  const isMarked = (line: PdfLine) => titles.has(line) || tables.has(line);
  const blocks: string[] = [];
  for (let first = 0; first < page.length; ) {
    const title = titles.get(page[first]!);
    if (title) {
      const lines = page.slice(first, first + title.lines);
      blocks.push(`${'#'.repeat(title.level)} ${titleText(lines)}`);
      first += lines.length;
      continue;
    }
    const table = tables.get(page[first]!);
    if (table) {
      blocks.push(tableText(table));
      first += table.rows.length;
      continue;
    }
    const code = isCode(page[first]!);
    let end = first + 1;
    while (end < page.length && !isMarked(page[end]!) && isCode(page[end]!) === code) end++;
    const lines = page.slice(first, end);
    blocks.push(code ? fenced(indented(lines)) : plain(lines));
    first = end;
  }
  return blocks;
}

function tableText({ rows }: PdfTable): string {
  const writer = createMarkdownWriter();
  writeTable({ rows: rows.map((row) => row.map(cellText)), isLayout: false }, writer);
  return writer.result();
}

const plain = (lines: PdfPage): string =>
  lines.map(({ text }, i) => textLine(text.trim(), i > 0)).join('\n');

const WIDEST_INDENT = 80;

/**
 * Restores the indentation of program text. A PDF has no spaces at the beginning of a line, only the position of its
 * first character.
 */
function indented(lines: PdfPage): string {
  const margin = Math.min(...lines.map(({ x }) => x));
  return lines
    .map(({ text, x, width }) => {
      const columns = width > 0 ? Math.round((x - margin) / width) : 0;
      return ' '.repeat(Math.min(columns, WIDEST_INDENT)) + text.trim();
    })
    .join('\n');
}
