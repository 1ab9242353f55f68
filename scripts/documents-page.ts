/** The tables in docs/documents.md are made from the kinds of files that are read, and of those that are not read yet. */
import type { KindRow } from '../packages/server/src/documents/kinds/row.ts';
import { KINDS } from '../packages/server/src/documents/kinds/table.ts';
import { NOT_READ } from '../packages/server/src/documents/not-read.ts';

const TABLES: Readonly<Record<string, () => string>> = {
  'kinds that are read': kindsTable,
  'kinds that are not read': notReadTable,
};

const beginOf = (name: string) =>
  `<!-- The table of ${name} is made by \`npm run source-pages\`. -->`;
const END = '<!-- The table ends here. -->';

/** Returns the page with its tables as they should be. Throws an error when the place of a table is missing. */
export function withTables(page: string): string {
  let result = page;
  for (const [name, table] of Object.entries(TABLES)) {
    const begin = result.indexOf(beginOf(name));
    const end = result.indexOf(END, begin);
    if (begin < 0 || end < 0) throw new Error(`docs/documents.md has no place for ${name}`);
    const before = result.slice(0, begin + beginOf(name).length);
    result = `${before}\n\n${table()}\n${result.slice(end)}`;
  }
  return result;
}

function kindsTable(): string {
  const rows = Object.values<KindRow>(KINDS).map(
    ({ what, extensions, recognizes, reads, by, largestMb, version }) => [
      what,
      `${dotted(extensions)}${recognizes ? ', and by its beginning' : ''}`,
      reads,
      by,
      `${largestMb} MB`,
      version,
    ],
  );
  return table(['kind', 'known by', 'what is read', 'by', 'up to', 'version'], rows);
}

function notReadTable(): string {
  const rows = NOT_READ.map(({ what, extensions, hint }) => [what, dotted(extensions), hint]);
  return table(['kind', 'extensions', 'what helps'], rows);
}

const dotted = (extensions: string): string =>
  extensions
    .split(' ')
    .map((extension) => `\`.${extension}\``)
    .join(' ');

function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
