/** Reads the header of a binary Word document (MS-DOC, section 2.5, the FIB), and the parts to which it leads. */
import { SourceError } from '../../errors.ts';
import { type CompoundStorage, isEncryptedPackage } from '../compound/file.ts';

const WORD = 0xa5ec;
/** Documents of Word 95 and before have smaller numbers. */
const WORD_97 = 0xc1;
const ENCRYPTED = 0x0100;
const SECOND_TABLE = 0x0200;
const LENGTHS = 64;
const PAIRS = 154;

/** These are the numbers of pairs of offset and length in the header. */
export const PAIR = {
  styles: 1,
  footnoteMarks: 2,
  footnoteTexts: 3,
  characterRuns: 12,
  paragraphRuns: 13,
  pieces: 33,
  endnoteMarks: 46,
  endnoteTexts: 47,
  lists: 73,
  listUses: 74,
} as const;

export interface DocHeader {
  /** This is the stream that has the text. */
  readonly main: Buffer;
  /** This stream has properties that are too long for the pages of the main stream. */
  readonly data: Buffer;
  /** These are the numbers of characters of the parts of the document, which follow each other. */
  readonly lengths: {
    readonly text: number;
    readonly footnotes: number;
    readonly headers: number;
    readonly comments: number;
    readonly endnotes: number;
    readonly boxes: number;
  };
  /** Returns the bytes of a part of the table stream, or none. */
  part(pair: (typeof PAIR)[keyof typeof PAIR]): Buffer;
  /** Returns the table stream from the beginning of a part on, because some parts lead to what stands behind them. */
  partOn(pair: (typeof PAIR)[keyof typeof PAIR]): Buffer;
}

/** Throws a SourceError 'skip' for a document that is broken, protected or older than Word 97. */
export function readHeader(file: CompoundStorage): DocHeader {
  const { streams } = file;
  if (isEncryptedPackage(file)) throw protectedDocument();
  const main = streams.get('WORDDOCUMENT')?.read();
  if (!main || main.length < PAIRS || main.readUInt16LE(0) !== WORD) throw notWord();
  const flags = main.readUInt16LE(10);
  if (flags & ENCRYPTED) throw protectedDocument();
  if (main.readUInt16LE(2) < WORD_97)
    throw new SourceError('skip', 'the document is in the format of Word 95 or of an older one', {
      hint: 'Open it in Word or LibreOffice, and save a copy as DOCX.',
    });
  const table = streams.get(flags & SECOND_TABLE ? '1TABLE' : '0TABLE')?.read();
  if (!table) throw notWord();
  const length = (index: number) => Math.max(0, main.readInt32LE(LENGTHS + 4 * index));
  const place = (pair: number): { readonly start: number; readonly length: number } => {
    const at = PAIRS + 8 * pair;
    if (at + 8 > main.length) return { start: 0, length: 0 };
    return { start: main.readUInt32LE(at), length: main.readUInt32LE(at + 4) };
  };
  return {
    main,
    data: streams.get('DATA')?.read() ?? Buffer.alloc(0),
    lengths: {
      text: length(3),
      footnotes: length(4),
      headers: length(5),
      comments: length(7),
      endnotes: length(8),
      boxes: length(9),
    },
    part(pair) {
      const { start, length } = place(pair);
      return table.subarray(start, start + length);
    },
    partOn(pair) {
      const { start, length } = place(pair);
      return length === 0 ? Buffer.alloc(0) : table.subarray(start);
    },
  };
}

const protectedDocument = (): SourceError =>
  new SourceError('skip', 'the document is protected by a password', {
    hint: 'Store a copy without the password.',
  });

const notWord = (): SourceError =>
  new SourceError('skip', 'the file is broken or is not a document of Word', {
    hint: 'Open it in Word or LibreOffice, and save a copy as DOCX.',
  });
