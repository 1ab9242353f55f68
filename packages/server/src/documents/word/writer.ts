/** Writes what readers of old word processor files find, one paragraph after the other, as Markdown. */
import { cellText } from '../cell-text.ts';
import { writeTable } from '../html-table.ts';
import { createMarkdownWriter, type MarkdownWriter } from '../markdown-writer.ts';

export interface ParagraphForm {
  /** This is the level of a heading, from 1, or null. */
  readonly heading: number | null;
  /** This is the depth of an item of a list, from 0, or null. */
  readonly depth: number | null;
  /** This is the number or sign before the paragraph, such as `1.`, or ''. */
  readonly marker: string;
}

export const RUNNING_TEXT: ParagraphForm = { heading: null, depth: null, marker: '' };

export interface WordWriter {
  /** Lines of the paragraph are divided by \n. */
  paragraph(text: string, form: ParagraphForm): void;
  /** Ends a cell of a table with its last text. Paragraphs of the same cell come with `inCell` before. */
  cell(text: string): void;
  inCell(text: string): void;
  /** Takes a paragraph whose mark is deleted: its text belongs to the next one, unless only one of both is in a table. */
  joined(text: string, isInTable: boolean): void;
  row(): void;
  /** Adds a note, and returns the mark of it in the text. */
  note(text: string): string;
  result(): string;
}

const DEEPEST_HEADING = 6;
/** A table of more cells is written in several pieces. */
const MAX_CELLS = 100_000;

export function createWordWriter(): WordWriter {
  const writer = createMarkdownWriter();
  const notes: string[] = [];
  let rows: string[][] = [];
  let cells: string[] = [];
  let lines: string[] = [];
  let cellsInTable = 0;
  let joined = { text: '', isInTable: false };

  /** Returns the text with that of the paragraphs that are joined with it. */
  function withJoined(text: string, isInTable: boolean): string {
    const before = joined;
    joined = { text: '', isInTable };
    if (before.text === '' || before.isInTable === isInTable) return before.text + text;
    if (before.isInTable) lines.push(before.text);
    else writeParagraph(writer, before.text, RUNNING_TEXT);
    return text;
  }

  function endTable(): void {
    if (lines.length > 0) cell('');
    if (cells.length > 0) row();
    if (rows.length === 0) return;
    writeTable({ rows, isLayout: false }, writer);
    rows = [];
    cellsInTable = 0;
  }

  function cell(text: string): void {
    const last = withJoined(text, true);
    cells.push(cellText([...lines, last].join(' ')));
    lines = [];
    cellsInTable++;
  }

  function row(): void {
    rows.push(cells);
    cells = [];
    if (cellsInTable > MAX_CELLS) endTable();
  }

  return {
    paragraph(text, form) {
      const whole = withJoined(text, false);
      endTable();
      if (whole.trim() !== '') writeParagraph(writer, whole, form);
    },
    cell,
    inCell(text) {
      lines.push(withJoined(text, true));
    },
    joined(text, isInTable) {
      if (!isInTable) endTable();
      joined = { text: withJoined(text, isInTable), isInTable };
    },
    row,
    note(text) {
      const note = text.trim();
      if (note === '') return '';
      return `[${notes.push(note)}]`;
    },
    result() {
      this.paragraph('', RUNNING_TEXT);
      writer.block();
      for (const [index, note] of notes.entries())
        writeItem(writer, note, { depth: 0, marker: `${index + 1}. ` });
      return writer.result();
    },
  };
}

function writeParagraph(writer: MarkdownWriter, text: string, form: ParagraphForm): void {
  const { heading, depth, marker } = form;
  if (heading !== null) {
    const level = Math.min(Math.max(heading, 1), DEEPEST_HEADING);
    writer.block();
    writer.enter({ prefix: '', marker: `${'#'.repeat(level)} ` });
    writer.text(`${marker} ${text}`);
    writer.leave();
    writer.block();
  } else if (depth !== null) {
    const isNumber = /^\d{1,9}[.)]$/.test(marker);
    writeItem(writer, text, { depth, marker: isNumber ? `${marker} ` : '- ' });
  } else {
    writer.block();
    writeLines(writer, marker === '' ? text : `${marker} ${text}`);
    writer.block();
  }
}

const DEEPEST_ITEM = 6;

function writeItem(
  writer: MarkdownWriter,
  text: string,
  { depth, marker }: { readonly depth: number; readonly marker: string },
): void {
  const outer = Math.min(Math.max(depth, 0), DEEPEST_ITEM);
  writer.newLine();
  for (let i = 0; i < outer; i++) writer.enter({ prefix: '  ', marker: '  ', list: true });
  writer.enter({ prefix: ' '.repeat(marker.length), marker, list: true });
  writeLines(writer, text);
  for (let i = 0; i <= outer; i++) writer.leave();
  writer.newLine();
}

function writeLines(writer: MarkdownWriter, text: string): void {
  for (const line of text.split('\n')) {
    writer.text(line);
    writer.newLine();
  }
}
