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
  // A cell in quotation marks may contain delimiters and line breaks, and each of its quotation marks twice.
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^${delimiter}\\n]*))[^${delimiter}\\n]*(${delimiter}|\\n|$)`,
    'y',
  );
  while (cell.lastIndex < text.length) {
    const [, quoted, plain = '', end] = cell.exec(text) ?? [];
    row.push(cellText(quoted?.replaceAll('""', '"') ?? plain));
    if (end === delimiter) continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
