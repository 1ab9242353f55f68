/** Writes a source as Markdown of pandoc, or a sheet as CSV. */
import type { Block, Item, Source, Table } from './source.ts';

export function markdownOf({ title, blocks }: Source, hasTitle: boolean): string {
  const notes: string[] = [];
  const body = blocks.map((block) => blockText(block, notes)).join('\n\n');
  const definitions = notes.map((note, i) => `[^${i + 1}]: ${escaped(note)}`);
  // Between the quotes of YAML, backslashes are characters like others.
  const head = hasTitle ? [`---\ntitle: '${escaped(title)}'\n---`] : [];
  return `${[...head, body, ...definitions].join('\n\n')}\n`;
}

export const csvOf = ({ blocks }: Source): string =>
  blocks
    .flatMap((block) => (block.is === 'table' ? block.rows : []))
    .map((row) => row.join(','))
    .join('\n');

function blockText(block: Block, notes: string[]): string {
  switch (block.is) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escaped(block.text)}`;
    case 'paragraph': {
      if (block.note === undefined) return escaped(block.text);
      notes.push(block.note);
      return `${escaped(block.text)}[^${notes.length}]`;
    }
    case 'list':
      return itemsText(block.items, block.isOrdered ? '1.  ' : '-   ', '');
    case 'table':
      return tableText(block);
    case 'code':
      return ['```', ...block.lines, '```'].join('\n');
  }
}

const itemsText = (items: readonly Item[], mark: string, indent: string): string =>
  items
    .flatMap(({ text, items: inner }) => [
      `${indent}${mark}${escaped(text)}`,
      ...(inner.length > 0 ? [itemsText(inner, mark, `${indent}    `)] : []),
    ])
    .join('\n');

function tableText({ rows }: Table): string {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...body.map(line)].join('\n');
}

/** Pandoc takes any punctuation after a backslash as itself. */
const escaped = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
