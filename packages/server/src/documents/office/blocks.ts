/** Writes the blocks of a document as Markdown: headings, paragraphs, items of lists, code and tables. */
import { writeTable } from '../html-table.ts';
import { createMarkdownWriter, fenced } from '../markdown-writer.ts';
import { cleanText } from '../plain.ts';

/** Deeper items of lists are written like items of this level. */
const DEEPEST_ITEM = 8;
/** This matches lines that a cell of a Markdown table cannot hold: a heading, the fence of code, and a table. */
const NEEDS_LINES = /^(?:#{1,6} |`{3}|\|(?: --- \|)+$)/m;
/** Markdown reads such a label as the number of an item. */
const MARKDOWN_NUMBER = /^\d{1,9}[.)]$/;

export interface Item {
  /** The outermost level is 0. */
  readonly level: number;
  /**
   * This is the number of the item as people see it, such as `1.` or `(a)`, or empty for a bullet. It is null for a
   * further paragraph of the item before.
   */
  readonly label: string | null;
}

export interface Blocks {
  /** In all texts, `\n` is a line break. A block without text is not written. */
  heading(level: number, text: string): void;
  paragraph(text: string): void;
  item(item: Item, text: string): void;
  /** Blocks of code that follow each other become one. */
  code(text: string): void;
  /**
   * Writes rows of cells, which are Markdown. Where a cell has a heading, code or a table, all cells are written as
   * blocks.
   */
  table(rows: string[][]): void;
  /** Writes Markdown unchanged. */
  markdown(text: string): void;
  result(): string;
}

export function createBlocks(): Blocks {
  const writer = createMarkdownWriter();
  /** These are the widths of the last markers of each level of the list, or null outside of lists. */
  let widths: number[] | null = null;
  /** If true, the last outermost item has a number. */
  let wasOrdered = false;
  let code: string[] = [];

  function begin(next: 'item' | 'other'): void {
    if (code.length > 0) writer.verbatim(fenced(code.join('\n')));
    code = [];
    if (widths && next === 'item') writer.newLine();
    else writer.block();
    if (next === 'other') widths = null;
  }

  /** Markdown begins a new list where the outermost items become numbered, or cease to be. */
  function beginItem(depth: number, isOrdered: boolean): void {
    begin(depth === 0 && isOrdered !== wasOrdered ? 'other' : 'item');
    if (depth === 0) wasOrdered = isOrdered;
  }

  function lines(text: string): void {
    for (const line of text.split('\n')) {
      writer.text(line);
      writer.newLine();
    }
  }

  return {
    heading(level, text) {
      if (text.trim() === '') return;
      begin('other');
      writer.enter({ prefix: '', marker: `${'#'.repeat(Math.min(level, 6))} ` });
      writer.text(text);
      writer.leave();
    },
    paragraph(text) {
      if (text.trim() === '') return;
      begin('other');
      lines(text);
    },
    item({ level, label }, text) {
      if (text.trim() === '') return;
      const depth = Math.min(level, DEEPEST_ITEM);
      const isOrdered = MARKDOWN_NUMBER.test(label ?? '');
      if (label !== null) beginItem(depth, isOrdered);
      else begin('item');
      widths ??= [];
      const marker = markerOf(label, widths[depth]);
      widths[depth] = marker.length;
      const margin = ' '.repeat(indentOf(widths, depth));
      const prefix = margin + ' '.repeat(marker.length);
      writer.enter({ prefix, marker: margin + marker, list: true });
      // A number that Markdown does not know stands in the text.
      lines(label && !isOrdered ? `${label} ${text}` : text);
      writer.leave();
    },
    code(text) {
      if (code.length === 0) begin('other');
      for (const line of text.replaceAll('\t', '    ').split('\n')) code.push(line);
    },
    table(rows) {
      begin('other');
      const isLayout = rows.some((row) => row.some((cell) => NEEDS_LINES.test(cell)));
      writeTable({ rows, isLayout }, writer);
    },
    markdown(text) {
      if (text === '') return;
      begin('other');
      writer.verbatim(text);
    },
    result() {
      begin('other');
      return cleanText(writer.result());
    },
  };
}

function markerOf(label: string | null, width: number | undefined): string {
  if (label === null) return ' '.repeat(width ?? 2);
  return MARKDOWN_NUMBER.test(label) ? `${label} ` : '- ';
}

function indentOf(widths: readonly number[], depth: number): number {
  let indent = 0;
  for (let above = 0; above < depth; above++) indent += widths[above] ?? 2;
  return indent;
}
