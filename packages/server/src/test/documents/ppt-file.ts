/** Writes small binary presentations of PowerPoint (MS-PPT). */
import { compoundFile } from './compound-file.ts';

export interface MadeText {
  readonly type: number;
  readonly text: string;
}

export interface MadeSlide {
  /** These texts stand in the list of slides; the slide refers to them. */
  readonly outline?: readonly MadeText[];
  /** These texts stand in boxes of the slide. */
  readonly boxes?: readonly MadeText[];
  readonly notes?: string;
}

export const pptFile = (
  slides: readonly MadeSlide[],
  more: { readonly token?: number; readonly times?: number } = {},
): Buffer => {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const store = (bytes: Buffer): number => {
    offsets.push(length);
    parts.push(bytes);
    length += bytes.length;
    return offsets.length;
  };
  const listed = slides.map(({ outline = [], boxes = [], notes }, index) => {
    const id = 500 + index;
    const texts = notes === undefined ? [] : textRecords({ type: 2, text: notes });
    const noted = notes === undefined ? 0 : store(container(0x03f0, [record(0xf00d, texts, 0xf)]));
    const atom = record(0x03ef, [numbers(0, 0, 0, 0x80000000, noted ? id : 0, 0)]);
    const shown = outline.flatMap((_, i) => record(0xf00d, [record(0x0f9e, [numbers(i)])], 0xf));
    const boxed = boxes.map((one) => record(0xf00d, textRecords(one), 0xf));
    const place = store(container(0x03ee, [atom, ...shown, ...boxed]));
    return { id, place, noted, outline };
  });
  const repeated = Array.from({ length: more.times ?? 1 }, () => listed).flat();
  const slideList = repeated.flatMap(({ place, id, outline }) => [
    record(0x03f3, [numbers(place, 0, outline.length, id, 0)]),
    ...outline.flatMap(textRecords),
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
  const user = Buffer.concat([
    numbers(0, 0, 20, more.token ?? 0xe391c05f, directory + places.length),
  ]);
  return compoundFile({
    'PowerPoint Document': Buffer.concat([...parts, places, edit]),
    'Current User': user,
  });
};

const textRecords = ({ type, text }: MadeText): Buffer[] => [
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
