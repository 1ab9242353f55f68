/** Writes small binary documents of Word (MS-DOC). */
import { compoundFile } from './compound-file.ts';

export interface MadeRun {
  /** Each character is a byte of Windows-1252. */
  readonly text: string;
  /** These are the numbers of properties with their operands (MS-DOC, section 2.2.5), hexadecimal. */
  readonly properties?: string;
}

export interface MadeParagraph {
  /** The last one ends with the mark of the paragraph, which is `\r`. */
  readonly runs: readonly MadeRun[];
  readonly style?: number;
  readonly properties?: string;
  /** If true, not even the style is stored. */
  readonly isBare?: boolean;
}

interface MadeStyle {
  readonly builtIn: number;
  /** This is the number of the style on which it is based. */
  readonly base?: number;
  /** These are properties of paragraphs, hexadecimal. */
  readonly properties?: string;
}

export interface MadeLevel {
  /** This is the number of the format (MSONFC); 0 is decimal, and 23 a bullet. */
  readonly format: number;
  /** In this text, the characters 0 to 8 stand for the numbers of the levels. */
  readonly text: string;
  readonly start?: number;
}

interface MadeList {
  readonly id: number;
  /** These are nine levels, or one. */
  readonly levels: readonly MadeLevel[];
}

/** This is what a paragraph refers to, by its place from 1. */
interface MadeUse {
  readonly list: number;
  readonly changes?: readonly {
    readonly level: number;
    readonly start?: number;
    readonly whole?: MadeLevel;
  }[];
}

export interface MadeSheet {
  readonly styles?: readonly MadeStyle[];
  readonly lists?: readonly MadeList[];
  readonly uses?: readonly MadeUse[];
}

const PAGE = 512;
const TEXT_AT = 2 * PAGE;
const CHARACTERS_PAGE = 4;
const PARAGRAPHS_PAGE = 5;
const PART = {
  ...{ styles: 1, characterRuns: 12, paragraphRuns: 13, pieces: 33 },
  ...{ lists: 73, listUses: 74 },
} as const;
/** This place of the header is not used. */
const NO_PART = 60;
const NO_BASE = 0xfff;
/** The name of a style stands behind so many bytes. */
const STYLE_HEAD_BYTES = 10;
const COMPRESSED = 0x40000000;

/** The text is at most two pages long. */
export function docFile(
  paragraphs: readonly MadeParagraph[],
  { styles = [], lists = [], uses = [] }: MadeSheet = {},
): Buffer {
  const characterRuns: WrittenRun[] = [];
  const paragraphRuns: WrittenRun[] = [];
  let text = '';
  for (const { runs, style = 0, properties = '', isBare = false } of paragraphs) {
    const before = text.length;
    for (const run of runs) {
      const start = text.length;
      text += run.text;
      const bytes = Buffer.from(run.properties ?? '', 'hex');
      const properties = Buffer.concat([Buffer.from([bytes.length]), bytes]);
      characterRuns.push({ start, end: text.length, properties });
    }
    paragraphRuns.push({
      ...{ start: before, end: text.length },
      properties: isBare
        ? Buffer.alloc(0)
        : paragraphProperties(style, Buffer.from(properties, 'hex')),
    });
  }
  const levels = Buffer.concat(lists.flatMap((list) => list.levels.map(levelBytes)));
  const main = Buffer.alloc(6 * PAGE);
  main.writeUInt32LE(text.length, 76);
  main.write(text, TEXT_AT, 'latin1');
  runsPage(characterRuns, 1).copy(main, CHARACTERS_PAGE * PAGE);
  runsPage(paragraphRuns, 13).copy(main, PARAGRAPHS_PAGE * PAGE);
  const piece = Buffer.alloc(8);
  piece.writeUInt32LE(COMPRESSED + 2 * TEXT_AT, 2);
  const pieces = Buffer.concat([numbers([0, text.length]), piece]);
  return compoundFile(
    docStreams(main, [
      [PART.styles, styleSheet(styles)],
      [PART.characterRuns, numbers([0, main.length, CHARACTERS_PAGE])],
      [PART.paragraphRuns, numbers([0, main.length, PARAGRAPHS_PAGE])],
      [PART.pieces, Buffer.concat([Buffer.from([2]), numbers([pieces.length]), pieces])],
      [PART.lists, listTable(lists)],
      // The levels are not counted to the table of lists, behind which they stand.
      [NO_PART, levels],
      [PART.listUses, useTable(uses)],
    ]),
  );
}

/** Returns the streams of a document with this main stream, and with these parts of the table stream by their numbers. */
export function docStreams(main: Buffer, parts: readonly (readonly [number, Buffer])[]) {
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0xc1, 2);
  let at = 0;
  for (const [pair, part] of parts) {
    main.writeUInt32LE(at, 154 + 8 * pair);
    main.writeUInt32LE(part.length, 158 + 8 * pair);
    at += part.length;
  }
  return { WordDocument: main, '0Table': Buffer.concat(parts.map(([, part]) => part)) };
}

interface WrittenRun {
  readonly start: number;
  readonly end: number;
  readonly properties: Buffer;
}

/**
 * Writes a page of runs (MS-DOC, sections 2.9.33 and 2.9.175), whose properties stand at its end. The place of no
 * properties is 0.
 */
function runsPage(runs: readonly WrittenRun[], entryBytes: number): Buffer {
  const page = Buffer.alloc(PAGE);
  page[PAGE - 1] = runs.length;
  let at = PAGE - 2;
  for (const [i, { start, end, properties }] of runs.entries()) {
    page.writeUInt32LE(TEXT_AT + start, 4 * i);
    page.writeUInt32LE(TEXT_AT + end, 4 * i + 4);
    if (properties.length === 0) continue;
    at -= properties.length + (properties.length % 2);
    properties.copy(page, at);
    page[4 * (runs.length + 1) + entryBytes * i] = at / 2;
  }
  return page;
}

/** The length counts pairs of bytes, of which the first pair has only one. */
function paragraphProperties(style: number, properties: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.from([0, style, 0]), properties]);
  bytes[0] = Math.ceil(bytes.length / 2);
  return bytes;
}

function styleSheet(styles: readonly MadeStyle[]): Buffer {
  const written = styles.map(({ builtIn, base = NO_BASE, properties = '' }) => {
    const bytes = Buffer.from(properties, 'hex');
    const head = words([builtIn, (base << 4) | 1, 2, 0, 0]);
    const style = Buffer.concat([head, name('S'), words([2 + bytes.length, 0]), bytes]);
    const padding = Buffer.alloc(style.length % 2);
    return Buffer.concat([words([style.length]), style, padding]);
  });
  return Buffer.concat([words([4, styles.length, STYLE_HEAD_BYTES]), ...written]);
}

const name = (text: string): Buffer =>
  Buffer.concat([words([text.length]), Buffer.from(text, 'utf16le'), words([0])]);

function listTable(lists: readonly MadeList[]): Buffer {
  const written = lists.map(({ id, levels }) => {
    const bytes = Buffer.alloc(28);
    bytes.writeUInt32LE(id, 0);
    bytes[26] = levels.length === 1 ? 1 : 0;
    return bytes;
  });
  return Buffer.concat([words([lists.length]), ...written]);
}

/** Writes a level (LVL) with one property of its number, whose bytes lie before the text. */
function levelBytes({ format, text, start = 1 }: MadeLevel): Buffer {
  const head = Buffer.alloc(28);
  head.writeInt32LE(start, 0);
  head[4] = format;
  head[24] = 3;
  const shown = Buffer.concat([words([text.length]), Buffer.from(text, 'utf16le')]);
  return Buffer.concat([head, Buffer.from('350801', 'hex'), shown]);
}

function useTable(uses: readonly MadeUse[]): Buffer {
  const heads = uses.map(({ list, changes = [] }) => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32LE(list, 0);
    bytes[12] = changes.length;
    return bytes;
  });
  const data = uses.flatMap(({ changes = [] }) => [
    numbers([0xffffffff]),
    ...changes.flatMap(({ level, start, whole }) => [
      numbers([start ?? 0, level | (start === undefined ? 0 : 0x10) | (whole ? 0x20 : 0)]),
      ...(whole ? [levelBytes(whole)] : []),
    ]),
  ]);
  return Buffer.concat([numbers([uses.length]), ...heads, ...data]);
}

const words = (values: readonly number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer);
const numbers = (values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
