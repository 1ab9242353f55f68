/** Reads the texts of binary slides of PowerPoint (MS-PPT, section 2.9). */
import type { PptRecord } from './records.ts';

export interface PptText {
  /** 0 and 6 are titles, 1 and 5 to 8 are bodies, 2 are notes, 4 are other boxes (MS-PPT, TextTypeEnum). */
  readonly type: number;
  /** Paragraphs end with a carriage return, and lines with a vertical tab. */
  readonly text: string;
}

export const TITLE = 0;
export const NOTES = 2;
export const OTHER = 4;
const CENTERED_TITLE = 6;
const BODIES: readonly number[] = [1, 5, 7, 8];

export const isTitle = ({ type }: PptText): boolean => type === TITLE || type === CENTERED_TITLE;
export const isBody = ({ type }: PptText): boolean => BODIES.includes(type);

/** The number in such a record is the type of the text that follows. */
export const TEXT_TYPE = 0x0f9f;
const UNICODE = 0x0fa0;
const BYTES = 0x0fa8;

/** Returns the text of a record, or null for another record. */
export function textIn({ type, content }: PptRecord): string | null {
  if (type === UNICODE) return content.toString('utf16le');
  return type === BYTES ? content.toString('latin1') : null;
}

/** Fields such as the number of the slide are stored as this sign. */
const FIELD = '*';

/** Tells whether the author has written something there. */
export const isWritten = ({ text }: PptText): boolean => !['', FIELD].includes(text.trim());
