/** Knows the characters of RTF: code pages of fonts, and control words that stand for a character. */

/** Maps the character sets of fonts (\fcharset) to code pages. */
const PAGES_OF_CHARSETS: ReadonlyMap<number, number> = new Map([
  [77, 10_000],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
]);

export const pageOfCharset = (charset: number): number | undefined =>
  PAGES_OF_CHARSETS.get(charset);

/** Maps code pages to encodings of the WHATWG Encoding Standard. Those of DOS are not among them. */
const ENCODINGS: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10_000, 'macintosh'],
  [10_007, 'x-mac-cyrillic'],
  [20_866, 'koi8-r'],
  [20_932, 'euc-jp'],
  [21_866, 'koi8-u'],
  [38_598, 'iso-8859-8-i'],
  [50_220, 'iso-2022-jp'],
  [50_221, 'iso-2022-jp'],
  [50_222, 'iso-2022-jp'],
  [51_932, 'euc-jp'],
  [51_949, 'euc-kr'],
  [54_936, 'gb18030'],
  [65_001, 'utf-8'],
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map(
    (page) => [page, `windows-${page}`] as const,
  ),
  ...[2, 3, 4, 5, 6, 7, 8, 13, 15].map((part) => [28_590 + part, `iso-8859-${part}`] as const),
]);

const USUAL = 'windows-1252';

/** Returns undefined for Windows-1252, which programs name without meaning it, and for a page that is not known. */
export function encodingOfPage(page: number): string | undefined {
  const encoding = ENCODINGS.get(page);
  return encoding === USUAL ? undefined : encoding;
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** Decodes bytes of a code page of Windows; each character of the text is one byte. */
export function decodePage(bytes: string, page: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These are all characters of ASCII.
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes;
  const encoding = ENCODINGS.get(page) ?? USUAL;
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding);
  decoders.set(encoding, decoder);
  return decoder.decode(Buffer.from(bytes, 'latin1'));
}

/** These control words stand for a character. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['tab', ' '],
  ['line', '\n'],
  ['lbr', '\n'],
  ['emdash', '—'],
  ['endash', '–'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['qmspace', ' '],
  ['nestcell', ' '],
  ['nestrow', '\n'],
]);

/** These control symbols stand for a character. A line break after a backslash ends a paragraph. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['~', '\u00a0'],
  ['_', '-'],
  ['{', '{'],
  ['}', '}'],
  ['\\', '\\'],
]);
