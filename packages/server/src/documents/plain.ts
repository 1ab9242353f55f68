/**
 * Turns bytes into text. The encoding is the one that a byte order mark or the caller names, otherwise UTF-8 when the
 * bytes are UTF-8, and otherwise Windows-1252 (which contains Latin-1). In the result, all line breaks are \n, and
 * characters that a database cannot store (NUL, unpaired surrogates) are removed or replaced.
 */
import { storableText } from '../model/storable.ts';

/** A text has at most this share of control characters; bytes with a larger share are not text. */
const MAX_CONTROLS = 0.02;

/**
 * Returns the text, or null when the bytes are not text. `label` is a name of an encoding in the WHATWG Encoding
 * Standard.
 */
export function decodeText(bytes: Uint8Array, label?: string): string | null {
  const decoded = decode(bytes, label);
  return isBinary(decoded) ? null : cleanText(decoded);
}

/** Returns the text with \n as the only line break and without characters that a database cannot store. */
export const cleanText = (text: string): string => storableText(text).replaceAll(/\r\n?/g, '\n');

function decode(bytes: Uint8Array, label: string | undefined): string {
  const encoding = byteOrderMark(bytes) ?? label;
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  const text = utf8(bytes, false);
  if (text !== null) return text;
  // A file that ends in the middle of a character may still be UTF-8.
  const cutOff = utf8(bytes, true);
  if (cutOff !== null && /[\u0080-\uffff]/.test(cutOff)) return cutOff;
  return new TextDecoder('windows-1252').decode(bytes);
}

function utf8(bytes: Uint8Array, cutOff: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cutOff });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function byteOrderMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return null;
}

function isBinary(text: string): boolean {
  let controls = 0;
  for (let i = 0; i < text.length; i++) if (isControl(text.charCodeAt(i))) controls++;
  return controls > text.length * MAX_CONTROLS;
}

/**
 * Backspace to carriage return, and escape, do not count, because they are common in logs and in the output of
 * terminals.
 */
const isControl = (code: number): boolean =>
  (code < 0x20 && !(code >= 0x08 && code <= 0x0d) && code !== 0x1b) ||
  (code >= 0x7f && code <= 0x9f && code !== 0x85);
