/**
 * Puts together the text of old word processor files, in which marks end paragraphs, and the cells and rows of tables. The
 * blocks are written in the same way as those of newer files.
 */
import { type Blocks, createBlocks } from '../office/blocks.ts';

export interface ParagraphForm {
  /** This is the level of a heading, from 1, or null. */
  readonly heading: number | null;
  /** This is the depth of an item of a list, from 0, or null. */
  readonly depth: number | null;
  /** This is the number of a heading or an item, such as `1.` or `(a)`, or ''. */
  readonly label: string;
  readonly isInTable: boolean;
}

export const RUNNING_TEXT: ParagraphForm = {
  heading: null,
  depth: null,
  label: '',
  isInTable: false,
};

export interface Paragraphs {
  /** Takes a paragraph, or one of several in a cell. In all texts, `\n` is a line break. */
  paragraph(text: string, form: ParagraphForm): void;
  /** Takes the last paragraph of a cell, and ends the cell. */
  cell(text: string, form: ParagraphForm): void;
  /** Takes a paragraph whose mark is deleted: its text belongs to the next one, unless only one of both is in a table. */
  joined(text: string, isInTable: boolean): void;
  row(): void;
  /** Adds a note, and returns the mark of it in the text. */
  note(text: string): string;
  /** Returns all as Markdown. */
  result(): string;
}

/** A table of more cells is written in several pieces. */
const MAX_CELLS = 100_000;

export function createParagraphs(): Paragraphs {
  const blocks = createBlocks();
  /** The notes are a list of their own, even where the text ends with a list. */
  const notes = createBlocks();
  let noted = 0;
  let rows: string[][] = [];
  let cells: string[] = [];
  let openCell: Blocks | null = null;
  let cellsInTable = 0;
  let before: { readonly text: string; readonly isInTable: boolean } | null = null;

  /** Returns the text with that of the paragraphs that are joined with it. */
  function withJoined(text: string, isInTable: boolean): string {
    const joined = before;
    before = null;
    if (!joined) return text;
    if (joined.isInTable === isInTable) return joined.text + text;
    write(joined.text, { ...RUNNING_TEXT, isInTable: joined.isInTable });
    return text;
  }

  function write(text: string, form: ParagraphForm): void {
    if (!form.isInTable) endTable();
    if (text.trim() === '') return;
    if (form.isInTable) openCell ??= createBlocks();
    writeParagraph(openCell ?? blocks, text, form);
  }

  function endTable(): void {
    if (openCell) endCell();
    if (cells.length > 0) endRow();
    if (rows.length === 0) return;
    blocks.table(rows);
    rows = [];
    cellsInTable = 0;
  }

  function endCell(): void {
    cells.push(openCell?.result() ?? '');
    openCell = null;
    cellsInTable++;
  }

  function endRow(): void {
    rows.push(cells);
    cells = [];
    if (cellsInTable > MAX_CELLS) endTable();
  }

  return {
    paragraph(text, form) {
      write(withJoined(text, form.isInTable), form);
    },
    cell(text, form) {
      write(withJoined(text, true), { ...form, isInTable: true });
      endCell();
    },
    joined(text, isInTable) {
      before = { text: withJoined(text, isInTable), isInTable };
      if (!isInTable) endTable();
    },
    row: endRow,
    note(text) {
      const note = text.trim();
      if (note === '') return '';
      notes.item({ level: 0, label: `${++noted}.` }, note);
      return `[${noted}]`;
    },
    result() {
      write(withJoined('', false), RUNNING_TEXT);
      blocks.markdown(notes.result());
      return blocks.result();
    },
  };
}

function writeParagraph(blocks: Blocks, text: string, form: ParagraphForm): void {
  const { heading, depth, label } = form;
  if (heading !== null) blocks.heading(heading, label === '' ? text : `${label} ${text}`);
  else if (depth !== null) blocks.item({ level: depth, label }, text);
  else blocks.paragraph(text);
}
