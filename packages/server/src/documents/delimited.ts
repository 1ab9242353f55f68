/** Reads text whose lines are rows of a table, such as CSV (RFC 4180), with the delimiter that its first line has. */
import { cellText } from './cell-text.ts';
import { writeTable } from './html-table.ts';
import { createMarkdownWriter } from './markdown-writer.ts';

const DELIMITERS = ['\t', ';', ','] as const;

export function delimitedToMarkdown(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const counts = DELIMITERS.map((mark) => first.split(mark).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const writer = createMarkdownWriter();
  writeTable({ rows: rowsOf(text, delimiter), isLayout: false }, writer);
  return writer.result();
}

function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const { cell, end } = cellAt(text, at, delimiter);
    row.push(cellText(cell));
    at = end + 1;
    if (text[end] === delimiter) continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

interface DelimitedCell {
  readonly cell: string;
  /** This is the offset of the delimiter or the line break behind the cell. */
  readonly end: number;
}

/** A cell in quotation marks may contain delimiters and line breaks, and each of its quotation marks twice. */
function cellAt(text: string, start: number, delimiter: string): DelimitedCell {
  const closing = text[start] === '"' ? closingMark(text, start + 1) : -1;
  let end = Math.max(start, closing + 1);
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++;
  if (closing < 0) return { cell: text.slice(start, end), end };
  const quoted = text.slice(start + 1, closing).replaceAll('""', '"');
  return { cell: quoted + text.slice(closing + 1, end), end };
}

/** Returns the offset of the quotation mark that ends a cell, or -1. */
function closingMark(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
