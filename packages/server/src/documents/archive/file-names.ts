/**
 * Decodes the names of files in archives, and cleans their paths. A path of an archive is never used as a path of the
 * file system, but it is shown and becomes a part of the id of a record.
 */
import { crc32 } from 'node:zlib';
import { cleanText } from '../plain.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const GBK = new TextDecoder('gbk');
const WINDOWS_1252 = new TextDecoder('windows-1252');

/** These are the characters of code page 437 from 0x80 on, in which the first zip programs wrote names. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** These are the small letters of Latin-1 from 0xdf on. */
const SMALL = '[\\xdf-\\xf6\\xf8-\\xff]';
/** These letters double in Finnish and Estonian. Other pairs that begin with a capital letter are common in GBK. */
const CAPITAL_THAT_DOUBLES = '[ÄÖÜÕ]';
const SMALL_THAT_DOUBLES = '[äöüõ]';
/**
 * This matches names that could be GBK, but whose pairs of letters of Latin-1 stand in words of ASCII, as in `Größe`,
 * `Ääni` and `GRÄÄR`. Such a pair of small letters is a rare character in GBK. No two of these parts match the same text,
 * so that a long name takes no longer.
 */
const LATIN_WORDS = new RegExp(
  `^(?:${[
    '[\\0-\\x7f]',
    `(?<=[a-z])${SMALL}{2}`,
    `(?<![a-z])${SMALL}{2}(?=[a-z])`,
    `(?<![A-Za-z])${CAPITAL_THAT_DOUBLES}${SMALL_THAT_DOUBLES}(?=[a-z])`,
    `(?<=[A-Z])${CAPITAL_THAT_DOUBLES}{2}(?=[A-Z])`,
  ].join('|')})+$`,
);

/**
 * Returns a name whose encoding is unknown. Many programs write UTF-8 without saying so. Chinese editions of Windows
 * write GBK; the bytes of its common characters (GB/T 2312) are frames and Greek letters in code page 437, which do not
 * fill names. Everything else is in the fallback: APPNOTE.TXT of PKWARE, appendix D, names code page 437 for zip, and
 * programs of Unix, which write tar, used Latin-1.
 */
export function decodeName(bytes: Uint8Array, fallback: 'cp437' | 'windows-1252'): string {
  const utf8 = utf8Of(bytes);
  if (utf8 !== null) return utf8;
  const latin = Buffer.from(bytes).toString('latin1');
  const isLatin = fallback === 'windows-1252' && LATIN_WORDS.test(latin);
  if (!isLatin && /^(?:[\0-\x7f]|[\xa1-\xa3\xb0-\xf7][\xa1-\xfe])+$/.test(latin))
    return GBK.decode(bytes);
  if (fallback === 'windows-1252') return WINDOWS_1252.decode(bytes);
  return latin.replaceAll(/[\x80-\xff]/g, (one) => CP437[one.charCodeAt(0) - 0x80] ?? '');
}

function utf8Of(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * Returns the name in the extra field 0x7075 of a zip entry (Info-ZIP Unicode Path), or null. The field has the
 * checksum of the name for which it was written, because a program may have renamed the entry without knowing the field.
 */
export function unicodePath(field: Buffer, name: Uint8Array): string | null {
  if (field.length < 6 || field[0] !== 1 || field.readUInt32LE(1) !== crc32(name)) return null;
  return utf8Of(field.subarray(5));
}

const MAX_PATH = 1_000;
const MAX_PARTS = 50;

/**
 * Returns the path with `/` between its parts, without drive letters and without parts that climb (`..`). Returns an
 * empty text when nothing is left. A very long path keeps its end.
 */
export function cleanPath(path: string): string {
  const parts = cleanText(path.slice(-MAX_PATH))
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll('\\', '/')
    .replace(/^[a-z]:/i, '')
    .split('/')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.slice(-MAX_PARTS).join('/');
}
