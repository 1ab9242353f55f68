/**
 * The state of the walk over the text of a DOCX: which paragraphs, tables and texts beside the running text are open.
 * Paragraphs nest, because a text box is inside of the paragraph to which it is anchored.
 */
import { MAX_CHARACTERS } from '../../kinds.ts';
import { type Blocks, createBlocks } from '../blocks.ts';
import { type Aside, commentLine } from '../comments.ts';
import type { Numbering } from './numbering.ts';
import type { WordStyles } from './styles.ts';

/** Deeper tables and text boxes are written like those of this level, so that no text is copied more often. */
const MAX_NESTED = 4;

export interface WordContext {
  readonly styles: WordStyles;
  readonly numbering: Numbering;
  readonly comments: Map<string, Aside>;
  readonly notes: ReadonlyMap<string, Aside>;
  /** These are the keys of the notes in the order of their first references. */
  readonly noted: Map<string, number>;
}

export interface WordParagraph {
  styleId?: string;
  numId?: string;
  level?: number;
  heading?: number;
  /** If true, the next paragraph continues this one, for example because a tracked change has deleted its end. */
  isJoined: boolean;
  readonly parts: string[];
  /** These are written after the paragraph. */
  readonly after: ((blocks: Blocks) => void)[];
  /** Each open field has true while its code is read, and false while its result is read. */
  readonly fields: boolean[];
  /** This is the number of fields whose code is read. */
  codes: number;
  /** If true, the open run is hidden. */
  isHidden: boolean;
}

interface WordTable {
  readonly rows: string[][];
  row: string[];
  isRowDeleted: boolean;
  isLayout: boolean;
  cell: { columns: number; isContinued: boolean } | null;
}

export interface WordWalk {
  readonly context: WordContext;
  blocks: Blocks;
  paragraph: WordParagraph | null;
  table: WordTable | null;
  /** These are the numbers of open tables and text boxes. */
  tables: number;
  boxes: number;
  /** This is the text of the paragraphs before whose ends were deleted. */
  joined: string;
  inText: boolean;
  inParagraphProperties: boolean;
  inRowProperties: boolean;
  characters: number;
}

export const newWalk = (context: WordContext): WordWalk => ({
  context,
  blocks: createBlocks(),
  paragraph: null,
  table: null,
  tables: 0,
  boxes: 0,
  joined: '',
  inText: false,
  inParagraphProperties: false,
  inRowProperties: false,
  characters: 0,
});

export const isTooLong = ({ characters }: WordWalk): boolean => characters > MAX_CHARACTERS;

export function addText(walk: WordWalk, text: string): void {
  const { paragraph } = walk;
  if (!paragraph || paragraph.isHidden || paragraph.codes > 0) return;
  walk.characters += text.length;
  paragraph.parts.push(text);
}

export function openParagraph(walk: WordWalk): () => void {
  const { paragraph: outer } = walk;
  const own: WordParagraph = {
    isJoined: false,
    parts: [],
    after: [],
    fields: [],
    codes: 0,
    isHidden: false,
  };
  walk.paragraph = own;
  return () => {
    walk.paragraph = outer;
    closeParagraph(walk, own);
  };
}

function closeParagraph(walk: WordWalk, paragraph: WordParagraph): void {
  const { blocks } = walk;
  const text = walk.joined + paragraph.parts.join('');
  walk.joined = paragraph.isJoined ? text : '';
  if (!paragraph.isJoined) writeParagraph(walk, paragraph, text);
  for (const write of paragraph.after) write(blocks);
}

function writeParagraph(walk: WordWalk, paragraph: WordParagraph, text: string): void {
  const { blocks, context, table } = walk;
  const style = context.styles.get(paragraph.styleId);
  const level = paragraph.level ?? style.level ?? 0;
  // An empty paragraph has a number too.
  const item = context.numbering.next(paragraph.numId ?? style.numId, level);
  if (text.trim() === '') return;
  const heading = paragraph.heading ?? style.heading;
  if (heading > 0) {
    if (table) table.isLayout = true;
    blocks.heading(heading, item?.label ? `${item.label} ${text}` : text);
  } else if (item) blocks.item(item, text);
  else if (style.isCode) blocks.code(text);
  else blocks.paragraph(text);
}

export function openTextBox(walk: WordWalk): (() => void) | undefined {
  const { paragraph, blocks: outer, joined } = walk;
  if (!paragraph || walk.boxes === MAX_NESTED) return undefined;
  const own = createBlocks();
  walk.boxes++;
  walk.blocks = own;
  walk.joined = '';
  return () => {
    walk.boxes--;
    walk.blocks = outer;
    walk.joined = joined;
    paragraph.after.push((blocks) => blocks.markdown(own.result()));
  };
}

export function openTable(walk: WordWalk): (() => void) | undefined {
  if (walk.tables === MAX_NESTED) return undefined;
  const { table: outer, blocks } = walk;
  const own: WordTable = { rows: [], row: [], isRowDeleted: false, isLayout: false, cell: null };
  walk.tables++;
  walk.table = own;
  return () => {
    walk.tables--;
    walk.table = outer;
    blocks.table(own.rows, own.isLayout);
  };
}

export function openRow({ table }: WordWalk): (() => void) | undefined {
  if (!table || table.cell) return undefined;
  table.row = [];
  table.isRowDeleted = false;
  return () => {
    if (!table.isRowDeleted) table.rows.push(table.row);
  };
}

export function openCell(walk: WordWalk): (() => void) | undefined {
  const { table, blocks: outer, joined } = walk;
  if (!table || table.cell) return undefined;
  const cell = { columns: 1, isContinued: false };
  table.cell = cell;
  const own = createBlocks();
  walk.blocks = own;
  walk.joined = '';
  return () => {
    table.cell = null;
    walk.blocks = outer;
    walk.joined = joined;
    const text = own.result();
    table.row.push(cell.isContinued ? '' : text);
    for (let i = 1; i < cell.columns; i++) table.row.push('');
  };
}

/** Adds the number of a note, which stands in brackets. */
export function addNote(walk: WordWalk, key: string): void {
  const { notes, noted } = walk.context;
  if (!notes.has(key)) return;
  const number = noted.get(key) ?? noted.size + 1;
  noted.set(key, number);
  addText(walk, `[${number}]`);
}

/** Writes a comment after its paragraph. A comment is written once, however often it is referred to. */
export function addComment({ paragraph, context }: WordWalk, id: string): void {
  const comment = context.comments.get(id);
  if (!paragraph || !comment) return;
  context.comments.delete(id);
  paragraph.after.push((blocks) => blocks.paragraph(commentLine(comment)));
}
