/**
 * Reads the shapes of a binary slide in their order (MS-ODRAW, section 2.2). A table is a group of shapes, of which the
 * first one says so; the others are its cells, and the lines between them.
 */
import type { TextBudget } from '../budget.ts';
import { type Cell, type Corner, gridOf } from './grid.ts';
import { numberAt, type PptRecord } from './records.ts';
import { isTitle, isWritten, OTHER, type PptText, TEXT_TYPE, TITLE, textIn } from './text.ts';

export interface PptTable {
  readonly rows: readonly (readonly string[])[];
}

export type SlideItem = PptText | PptTable;

export const isTable = (item: SlideItem): item is PptTable => 'rows' in item;

/** These places on a slide are those of titles (MS-PPT, PlaceholderEnum). */
const TITLE_PLACES: readonly (number | undefined)[] = [0x01, 0x03, 0x0d, 0x0f, 0x11];
export const isTitlePlace = (place: number | undefined): boolean => TITLE_PLACES.includes(place);

const RECORD = {
  group: 0xf003,
  shape: 0xf004,
  kind: 0xf00a,
  properties: 0xf00b,
  corner: 0xf00f,
  moreProperties: 0xf122,
  place: 0x0bc3,
  outlineText: 0x0f9e,
} as const;

/** A line has this kind (MS-ODRAW, MSOSPT). */
const LINE = 20;
/** Each property has a number of two bytes and a value of four. */
const PROPERTY_BYTES = 6;
const TABLE_PROPERTIES = 0x039f;
/** The lowest bits of the value say that the group is a table, or a table in the place for one. */
const IS_TABLE = 3;

/** An empty place of a table is written as so many characters. */
const PLACE_CHARACTERS = 3;

interface OpenShape {
  readonly end: number;
  /** The first shape of a group stands for the group, and this is where that ends. It is null for other shapes. */
  readonly groupEnd: number | null;
  isLine: boolean;
  isTitle: boolean;
  corner: Corner | null;
  /** This is the type of the next text. */
  type: number;
  readonly texts: PptText[];
}

interface OpenTable {
  readonly end: number;
  readonly cells: Cell[];
}

export interface ShapeReader {
  take(record: PptRecord): void;
  result(): SlideItem[];
}

/** `outline` has the texts of the list of slides, to which the shapes refer by their numbers. */
export function createShapeReader(outline: readonly PptText[], budget: TextBudget): ShapeReader {
  const items: SlideItem[] = [];
  const shown = new Set<PptText>();
  let shape = newShape();
  let groupEnd: number | null = null;
  let table: OpenTable | null = null;

  function addText(text: PptText): void {
    budget.left -= text.text.length;
    shape.texts.push(text);
  }

  function addItem(text: PptText): void {
    if (isWritten(text)) items.push(text);
  }

  function endShape(next = newShape()): void {
    const { isLine, corner, texts, ...ended } = shape;
    if (!table || ended.groupEnd !== null)
      for (const text of texts) addItem(ended.isTitle ? titled(text) : text);
    else if (!isLine) table.cells.push({ corner, text: texts.map(({ text }) => text).join(' ') });
    shape = next;
  }

  function endTable({ cells }: OpenTable): void {
    table = null;
    const { rows, others } = gridOf(cells);
    budget.left -= PLACE_CHARACTERS * rows.length * (rows[0]?.length ?? 0);
    if (rows.length > 0) items.push({ rows });
    for (const text of others) addItem({ type: OTHER, text });
  }

  /** Ends what does not reach to this offset. */
  function endBefore(offset: number): void {
    if (offset >= shape.end) endShape();
    if (table && offset >= table.end) endTable(table);
  }

  function takeText(record: PptRecord): void {
    const text = textIn(record);
    if (text !== null) addText({ type: shape.type, text });
  }

  return {
    take(record) {
      endBefore(record.offset);
      switch (record.type) {
        case RECORD.group:
          groupEnd = record.end;
          break;
        case RECORD.shape:
          endShape(newShape({ end: record.end, groupEnd }));
          groupEnd = null;
          break;
        case RECORD.kind:
          shape.isLine = record.instance === LINE;
          break;
        case RECORD.properties:
        case RECORD.moreProperties:
          if (!table && shape.groupEnd !== null && saysTable(record))
            table = { end: shape.groupEnd, cells: [] };
          break;
        case RECORD.corner:
          shape.corner = cornerOf(record);
          break;
        case RECORD.place:
          shape.isTitle = isTitlePlace(record.content[4]);
          break;
        case RECORD.outlineText: {
          const text = outline[numberAt(record, 0) ?? -1];
          if (text && !shown.has(text)) addText(text);
          if (text) shown.add(text);
          break;
        }
        case TEXT_TYPE:
          shape.type = numberAt(record, 0) ?? OTHER;
          break;
        default:
          takeText(record);
      }
    },
    result() {
      endBefore(Number.POSITIVE_INFINITY);
      const hidden = outline.filter((text) => !shown.has(text) && isWritten(text));
      return [...hidden, ...items];
    },
  };
}

/** Text that a broken file has outside of shapes belongs to a shape without an end. */
const newShape = ({
  end = Number.POSITIVE_INFINITY,
  groupEnd = null,
}: Partial<Pick<OpenShape, 'end' | 'groupEnd'>> = {}): OpenShape => ({
  ...{ end, groupEnd, isLine: false, isTitle: false, corner: null, type: OTHER, texts: [] },
});

/** The text in the place of a title is one, also where its own type says otherwise. */
const titled = (text: PptText): PptText => (isTitle(text) ? text : { ...text, type: TITLE });

function saysTable({ instance, content }: PptRecord): boolean {
  const end = Math.min(instance * PROPERTY_BYTES, content.length - PROPERTY_BYTES + 1);
  for (let at = 0; at < end; at += PROPERTY_BYTES)
    if (content.readUInt16LE(at) === TABLE_PROPERTIES)
      return (content.readUInt32LE(at + 2) & IS_TABLE) !== 0;
  return false;
}

const cornerOf = ({ content }: PptRecord): Corner | null =>
  content.length < 8 ? null : { left: content.readInt32LE(0), top: content.readInt32LE(4) };
