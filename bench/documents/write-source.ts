/** Writes a source as Markdown of pandoc, a sheet as CSV, or a workbook as a flat spreadsheet of OpenDocument. */
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

/** Each heading is the name of the sheet that the table below it becomes. */
export function fodsOf({ blocks }: Source): string {
  let name = '';
  const sheets = blocks.map((block) => {
    if (block.is === 'heading') name = block.text;
    return block.is === 'table' ? sheetXml(name, block) : '';
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet>${sheets.join('')}</office:spreadsheet></office:body></office:document>`;
}

function sheetXml(name: string, { rows }: Table): string {
  const cell = (text: string) =>
    `<table:table-cell office:value-type="string"><text:p>${xmlText(text)}</text:p></table:table-cell>`;
  const body = rows.map((row) => `<table:table-row>${row.map(cell).join('')}</table:table-row>`);
  return `<table:table table:name="${xmlText(name)}">${body.join('')}</table:table>`;
}

/** Writes a text between tags, or between the quotes of an attribute. */
export const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

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
