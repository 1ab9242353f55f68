/**
 * The state of the walk over the text of a DOCX: which paragraphs, tables and texts beside the running text are open.
 * Paragraphs nest, because a text box is inside of the paragraph to which it is anchored.
 */
import { MAX_CHARACTERS } from '../../kinds.ts';
import { type Blocks, createBlocks } from '../blocks.ts';
import { type Aside, commentLine } from '../comments.ts';
import type { Formula } from '../formula.ts';
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
  /** These are the texts of other documents that stand in this one, as Markdown, by the ids of their relations. */
  readonly chunks: ReadonlyMap<string, string>;
}

export interface WordParagraph extends Formula {
  styleId?: string;
  numId?: string;
  level?: number;
  heading?: number;
  /** If true, the next paragraph continues this one, for example because a tracked change has deleted its end. */
  isJoined: boolean;
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
  /** This is the paragraph before, when the next one continues it. */
  joined: WordParagraph | null;
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
  joined: null,
  inText: false,
  inParagraphProperties: false,
  inRowProperties: false,
  characters: 0,
});

export const isTooLong = ({ characters }: WordWalk): boolean => characters > MAX_CHARACTERS;

/** Returns true where nothing is shown: in a hidden run, and in the code of a field. */
const isHidden = ({ isHidden, codes }: WordParagraph): boolean => isHidden || codes > 0;

export function addText(walk: WordWalk, text: string): void {
  const { paragraph } = walk;
  if (!paragraph || isHidden(paragraph)) return;
  walk.characters += text.length;
  paragraph.parts.push(text);
}

export function openParagraph(walk: WordWalk): () => void {
  const { paragraph: outer, joined } = walk;
  const own: WordParagraph = {
    isJoined: false,
    parts: joined?.parts ?? [],
    after: joined?.after ?? [],
    open: [],
    fields: [],
    codes: 0,
    isHidden: false,
  };
  walk.paragraph = own;
  walk.joined = null;
  return () => {
    walk.paragraph = outer;
    if (own.isJoined) walk.joined = own;
    else closeParagraph(walk, own);
  };
}

/** Writes the last paragraph, which no other one continues. */
export function endJoined(walk: WordWalk): void {
  const { joined } = walk;
  walk.joined = null;
  if (joined) closeParagraph(walk, joined);
}

function closeParagraph(walk: WordWalk, paragraph: WordParagraph): void {
  writeParagraph(walk, paragraph, paragraph.parts.join(''));
  for (const write of paragraph.after) write(walk.blocks);
}

function writeParagraph(walk: WordWalk, paragraph: WordParagraph, text: string): void {
  const { blocks, context } = walk;
  const style = context.styles.get(paragraph.styleId);
  const level = paragraph.level ?? style.level ?? 0;
  // An empty paragraph has a number too.
  const item = context.numbering.next(paragraph.numId ?? style.numId, level);
  if (text.trim() === '') return;
  const heading = paragraph.heading ?? style.heading;
  if (heading > 0) blocks.heading(heading, item?.label ? `${item.label} ${text}` : text);
  else if (item) blocks.item(item, text);
  else if (style.isCode) blocks.code(text);
  else blocks.paragraph(text);
}

/** Reads blocks that stand beside the running text. */
export function openBeside(walk: WordWalk, use: (markdown: string) => void): () => void {
  const { blocks, joined } = walk;
  const own = createBlocks();
  walk.blocks = own;
  walk.joined = null;
  return () => {
    endJoined(walk);
    walk.blocks = blocks;
    walk.joined = joined;
    use(own.result());
  };
}

export function openTextBox(walk: WordWalk): (() => void) | 'skip' | undefined {
  const { paragraph } = walk;
  if (paragraph && isHidden(paragraph)) return 'skip';
  if (!paragraph || walk.boxes === MAX_NESTED) return undefined;
  walk.boxes++;
  const close = openBeside(walk, (markdown) => {
    paragraph.after.push((blocks) => blocks.markdown(markdown));
  });
  return () => {
    walk.boxes--;
    close();
  };
}

export function openTable(walk: WordWalk): (() => void) | undefined {
  endJoined(walk);
  if (walk.tables === MAX_NESTED) return undefined;
  const { table: outer, blocks } = walk;
  const own: WordTable = { rows: [], row: [], isRowDeleted: false, cell: null };
  walk.tables++;
  walk.table = own;
  return () => {
    walk.tables--;
    walk.table = outer;
    blocks.table(own.rows);
  };
}

export function openRow({ table }: WordWalk): undefined {
  if (!table || table.cell) return;
  table.row = [];
  table.isRowDeleted = false;
  table.rows.push(table.row);
}

export function openCell(walk: WordWalk): (() => void) | 'skip' | undefined {
  const { table } = walk;
  if (!table || table.cell) return undefined;
  if (table.isRowDeleted) return 'skip';
  const cell = { columns: 1, isContinued: false };
  table.cell = cell;
  return openBeside(walk, (text) => {
    table.cell = null;
    table.row.push(cell.isContinued ? '' : text);
    for (let i = 1; i < cell.columns; i++) table.row.push('');
  });
}

/** Adds the text of another document, which stands between two paragraphs. */
export function addChunk(walk: WordWalk, id: string): void {
  const text = walk.context.chunks.get(id) ?? '';
  endJoined(walk);
  walk.characters += text.length;
  walk.blocks.markdown(text);
}

/** Adds the number of a note, which stands in brackets. A note is not shown where its reference is not. */
export function addNote(walk: WordWalk, key: string): void {
  const { notes, noted } = walk.context;
  if (!notes.has(key) || !walk.paragraph || isHidden(walk.paragraph)) return;
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
