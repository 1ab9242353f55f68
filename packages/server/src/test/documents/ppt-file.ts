/** Writes small binary presentations of PowerPoint (MS-PPT). */
import { compoundFile } from './compound-file.ts';

export interface MadeText {
  readonly type: number;
  readonly text: string;
}

export interface MadeBox {
  /** A number refers to the text at this index of the outline. A box without a text is empty. */
  readonly text?: MadeText | number;
  /** This is the place on the slide that the box fills (PlaceholderEnum). */
  readonly place?: number;
  /** The box is in a group, and has its left, upper, right and lower edge there. */
  readonly at?: readonly [number, number, number, number];
  readonly isLine?: boolean;
}

export interface MadeGroup {
  readonly group: readonly MadeShape[];
  /** These are the properties of the group, each with its number and its value. */
  readonly properties?: readonly (readonly [number, number])[];
  readonly at?: MadeBox['at'];
  /** The shapes are in so many groups, each inside of the one before. */
  readonly depth?: number;
}

export type MadeShape = MadeText | MadeBox | MadeGroup;

export interface MadeSlide {
  /** These texts stand in the list of slides; the slide refers to them. */
  readonly outline?: readonly MadeText[];
  /** Without it, the slide has a box for each text of the outline, and then these shapes. */
  readonly shapes?: readonly MadeShape[];
  readonly boxes?: readonly MadeShape[];
  /** A text is of the type of notes. */
  readonly notes?: string | readonly MadeShape[];
  /** These are the places that the layout of the slide has. */
  readonly places?: readonly number[];
}

const TABLE_PROPERTIES = 0x039f;

/** The lowest bit of the flags says that the group is a table (MS-ODRAW, tableProperties). */
export const pptTable = (group: readonly MadeShape[], flags = 1): MadeGroup => ({
  group,
  properties: [
    [0x007f, 0x01000100],
    [TABLE_PROPERTIES, flags],
  ],
});

/** Returns a cell between these columns and rows of a grid: from the left, from above, to the right, to below. */
export const pptCell = (
  text: string,
  [left, top, right, bottom]: readonly [number, number, number, number],
): MadeBox => ({
  at: [left * 700 - 300, top * 90 - 100, right * 700 - 300, bottom * 90 - 100],
  ...(text !== '' && { text: { type: 4, text } }),
});

interface PptOptions {
  readonly token?: number;
  readonly times?: number;
  /** A later edit of the file has replaced the first slide by this one. */
  readonly edited?: MadeSlide;
}

export const pptFile = (slides: readonly MadeSlide[], more: PptOptions = {}): Buffer => {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const store = (bytes: Buffer): number => {
    offsets.push(length);
    parts.push(bytes);
    length += bytes.length;
    return offsets.length;
  };
  const listed = slides.map(({ outline = [], boxes = [], notes, ...slide }, index) => {
    const id = 500 + index;
    const spoken = typeof notes === 'string' ? [{ type: 2, text: notes }] : notes;
    const noted = spoken === undefined ? 0 : store(container(0x03f0, [drawing(spoken)]));
    const shapes = slide.shapes ?? [...outline.map((_, text) => ({ text })), ...boxes];
    const place = store(slideRecord({ ...slide, shapes }, noted ? id : 0));
    return { id, place, noted, outline };
  });
  const repeated = Array.from({ length: more.times ?? 1 }, () => listed).flat();
  const slideList = repeated.flatMap(({ place, id, outline }) => [
    record(0x03f3, [numbers(place, 0, outline.length, id, 0)]),
    ...outline.flatMap((text) => textRecords(text)),
  ]);
  const notesList = listed.flatMap(({ noted, id }) =>
    noted === 0 ? [] : record(0x03f3, [numbers(noted, 0, 0, id, 0)]),
  );
  const document = store(
    container(0x03e8, [record(0x0ff0, slideList, 0xf), record(0x0ff0, notesList, 0x2f)]),
  );
  const directory = length;
  const places = record(0x1772, [numbers((offsets.length << 20) | 1, ...offsets)]);
  const edit = record(0x0ff5, [numbers(0, 0, 0, directory, document, 0, 0)]);
  const all = Buffer.concat([...parts, places, edit]);
  let last = directory + places.length;
  const later: Buffer[] = [];
  if (more.edited) {
    const slide = slideRecord(more.edited, 0);
    const at = all.length + slide.length;
    const own = record(0x1772, [numbers((1 << 20) | (listed[0]?.place ?? 0), all.length)]);
    later.push(slide, own, record(0x0ff5, [numbers(0, 0, last, at, document, 0, 0)]));
    last = at + own.length;
  }
  const user = Buffer.concat([numbers(0, 0, 20, more.token ?? 0xe391c05f, last)]);
  return compoundFile({
    'PowerPoint Document': Buffer.concat([all, ...later]),
    'Current User': user,
  });
};

function slideRecord({ shapes = [], places = [] }: MadeSlide, notesId: number): Buffer {
  const layout = Buffer.alloc(8);
  layout.set(places);
  const atom = record(0x03ef, [numbers(0), layout, numbers(0x80000000, notesId, 0)]);
  return container(0x03ee, [atom, drawing(shapes)]);
}

const drawing = (shapes: readonly MadeShape[]): Buffer =>
  container(0x040c, [container(0xf002, [groupRecord({ group: shapes })])]);

function groupRecord({ group, properties = [], at, depth = 1 }: MadeGroup): Buffer {
  // The first shape of a group stands for the group.
  const head = container(0xf004, [
    record(0xf009, [numbers(0, 0, 100, 100)]),
    record(0xf00a, [numbers(1, 1)], 2),
    ...(at ? [record(0xf00f, [numbers(...at)])] : []),
    record(0xf122, properties.map(propertyBytes), (properties.length << 4) | 3),
  ]);
  let inner = group.map(shapeRecord);
  for (let i = 0; i < depth; i++) inner = [container(0xf003, [head, ...inner])];
  return Buffer.concat(inner);
}

function propertyBytes([number, value]: readonly [number, number]): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16LE(number, 0);
  bytes.writeUInt32LE(value, 2);
  return bytes;
}

function shapeRecord(shape: MadeShape): Buffer {
  if ('group' in shape) return groupRecord(shape);
  if ('type' in shape) return shapeRecord({ text: shape });
  const { text, place, at, isLine = false } = shape;
  const texts = typeof text === 'number' ? [record(0x0f9e, [numbers(text)])] : textRecords(text);
  const placeAtom = (one: number) => record(0x0bc3, [numbers(0, one)]);
  return container(0xf004, [
    record(0xf00a, [numbers(2, 0xa00)], ((isLine ? 20 : 1) << 4) | 2),
    ...(at ? [record(0xf00f, [numbers(...at)])] : []),
    ...(place === undefined ? [] : [container(0xf011, [placeAtom(place)])]),
    container(0xf00d, texts),
  ]);
}

/** A box without a text has an empty one. */
const textRecords = ({ type, text }: MadeText = { type: 4, text: '' }): Buffer[] => [
  record(0x0f9f, [numbers(type)]),
  // Text of Latin letters is stored in bytes.
  /[^\0-\xff]/.test(text)
    ? record(0x0fa0, [Buffer.from(text, 'utf16le')])
    : record(0x0fa8, [Buffer.from(text, 'latin1')]),
];

const container = (type: number, content: readonly Buffer[]): Buffer => record(type, content, 0xf);

function record(type: number, content: readonly Buffer[], version = 0): Buffer {
  const head = Buffer.alloc(8);
  const bytes = Buffer.concat(content);
  head.writeUInt16LE(version, 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * index);
  return bytes;
}
