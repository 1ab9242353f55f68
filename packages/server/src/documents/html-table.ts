/**
 * Writes a table of an HTML page. A table with data becomes a Markdown table. A table that only lays out the page
 * becomes blocks of text.
 */
import type { MarkdownWriter } from './markdown-writer.ts';

export interface TableParts {
  /** Each row is a list of cells, in Markdown. */
  readonly rows: string[][];
  /** If true, the table lays out the page: its cells contain blocks that a cell of a Markdown table cannot hold. */
  isLayout: boolean;
}

export function writeTable({ rows, isLayout }: TableParts, writer: MarkdownWriter): void {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (isLayout || columns < 2 || filled.length < 2) {
    for (const cell of filled.flat()) if (cell !== '') writer.verbatim(cell);
    return;
  }
  const [first = [], ...others] = filled;
  // A table of Markdown is one only when its head has all columns.
  const padded = [...first, ...Array.from({ length: columns - first.length }, () => '')];
  const [header, ...body] = [padded, ...others].map(toLine);
  writer.verbatim([header, `|${' --- |'.repeat(columns)}`, ...body].join('\n'));
}

const toLine = (row: readonly string[]) =>
  `| ${row.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
