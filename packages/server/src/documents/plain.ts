/**
 * Turns bytes into text. The encoding is the one that a byte order mark or the caller names, otherwise UTF-8 when nearly
 * all of the bytes are UTF-8, and otherwise Windows-1252 (which contains Latin-1). In the result, all line breaks are \n, and
 * characters that a database cannot store (NUL, unpaired surrogates) are removed or replaced.
 */
import { isUtf8 } from 'node:buffer';
import { storableText } from '../model/storable.ts';

/** A text has at most this share of control characters, or one; bytes with a larger share are not text. */
const MAX_CONTROLS = 0.02;

/**
 * Returns the text, or null when the bytes are not text. `label` is a name of an encoding in the WHATWG Encoding
 * Standard.
 */
export function decodeText(bytes: Uint8Array, label?: string): string | null {
  const { text, isGuess } = decode(bytes, label);
  return isBinary(text, isGuess) ? null : cleanText(text);
}

/** Returns the text also when most of it is control characters: for bytes that can be nothing but text. */
export const decodeAnyway = (bytes: Uint8Array, label?: string): string =>
  cleanText(decode(bytes, label).text);

/** Returns the text with \n as the only line break and without characters that a database cannot store. */
export const cleanText = (text: string): string => storableText(text).replaceAll(/\r\n?/g, '\n');

interface Decoded {
  readonly text: string;
  /** If true, nothing speaks for the encoding but that it gives a character for every byte. */
  readonly isGuess: boolean;
}

function decode(bytes: Uint8Array, label: string | undefined): Decoded {
  const encoding = byteOrderMark(bytes) ?? label;
  const known = encoding === undefined ? utf8(bytes) : new TextDecoder(encoding).decode(bytes);
  return known === null
    ? { text: new TextDecoder('windows-1252').decode(bytes), isGuess: true }
    : { text: known, isGuess: false };
}

/**
 * Returns null for bytes that are not UTF-8. A file that ends in the middle of a character, or has a few damaged ones,
 * is still UTF-8: in text of another encoding hardly any two bytes are a character of UTF-8.
 */
function utf8(bytes: Uint8Array): string | null {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const text = new TextDecoder().decode(bytes, { stream: true });
  let whole = 0;
  let damaged = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === REPLACEMENT) damaged++;
    else if (code > 0x7f) whole++;
  }
  return whole > 2 * damaged ? text : null;
}

const REPLACEMENT = 0xfffd;

function byteOrderMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return null;
}

function isBinary(text: string, isGuess: boolean): boolean {
  let controls = 0;
  for (let i = 0; i < text.length; i++) if (isControl(text.charCodeAt(i), isGuess)) controls++;
  return controls > Math.max(1, text.length * MAX_CONTROLS);
}

/**
 * Backspace to carriage return, and escape, do not count, because they are common in logs and in the output of
 * terminals. Programs that take Windows-1252 for Latin-1 write its quotation marks as characters from U+0080 on, so
 * these count only where the encoding is a guess.
 */
const isControl = (code: number, isGuess: boolean): boolean =>
  (code < 0x20 && !(code >= 0x08 && code <= 0x0d) && code !== 0x1b) ||
  code === 0x7f ||
  (isGuess && code >= 0x80 && code <= 0x9f);

/** Returns the encoding that the declaration of XML names. `head` is the beginning of the file, read as ASCII. */
export const xmlEncodingOf = (head: string): string | undefined =>
  /^\s*<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:.-]{1,40})/.exec(head)?.[1];

/** Returns true for a known encoding that a declaration in ASCII may name. */
export function isByteEncoding(label: string): boolean {
  try {
    return !new TextDecoder(label).encoding.startsWith('utf-16');
  } catch {
    // The declared encoding is unknown, so the encoding is found from the bytes.
    return false;
  }
}
