/** Makes odd answers of right ones: what a connector must survive, although Google does not promise to send it. */

export type GmailOddity =
  /** Names, snippets, values of headers and names of files are null. */
  | 'null texts'
  /** The same texts end with half of a pair of surrogates. */
  | 'lone surrogates'
  /** Numbers come as texts, and texts of numbers as numbers. */
  | 'numbers as texts'
  /** Answers have fields, types and kinds of changes that nobody has heard of. */
  | 'unknown kinds'
  | 'year 0'
  | 'year 9999'
  /** Nobody can read the dates. */
  | 'broken dates'
  /** The token of the next page is always the same. */
  | 'cursor repeats'
  /** Messages have no labels, no snippet and no payload. */
  | 'bare messages'
  /** The first body of each answer has 30 MB. */
  | 'huge text';

const TEXTS = ['snippet', 'value', 'filename', 'name'];
const HUGE_BYTES = 30 * 2 ** 20;
const DATES = {
  'year 0': [-62_167_219_200_000, 'Sat, 01 Jan 0000 00:00:00 +0000'],
  'year 9999': [253_402_300_799_000, 'Fri, 31 Dec 9999 23:59:59 +0000'],
  'broken dates': ['soon', 'the day after tomorrow'],
} as const;

/** Takes and returns the text of an answer in JSON. */
export function oddAnswer(text: string, odd: ReadonlySet<GmailOddity>): string {
  if (odd.size === 0) return text;
  let isHuge = odd.has('huge text');
  const value: unknown = JSON.parse(text, function (this: any, key, one: unknown) {
    for (const [oddity, [internal, header]] of Object.entries(DATES))
      if (odd.has(oddity as GmailOddity)) {
        if (key === 'internalDate') return String(internal);
        if (key === 'value' && this.name === 'Date') return header;
      }
    if (odd.has('bare messages') && ['labelIds', 'snippet', 'payload'].includes(key))
      return undefined;
    if (odd.has('cursor repeats') && key === 'nextPageToken') return 'the same token';
    const isText = TEXTS.includes(key) && !(key === 'name' && 'value' in this);
    if (odd.has('null texts') && isText) return null;
    if (odd.has('unknown kinds')) {
      if (key === 'type' || key === 'mimeType') return 'x-quarry/never-heard-of';
      if (key === 'history' && Array.isArray(one))
        return one.map((entry) => ({ ...entry, messagesFolded: [{ how: 'twice' }] }));
    }
    if (odd.has('numbers as texts')) {
      if (typeof one === 'number') return String(one);
      if (key === 'internalDate') return Number(one);
    }
    if (key === 'data' && typeof one === 'string' && isHuge) {
      isHuge = false;
      const long = 'long '.repeat(HUGE_BYTES / 5);
      return Buffer.from(`${Buffer.from(one, 'base64url')} ${long}`).toString('base64url');
    }
    return odd.has('lone surrogates') && isText && typeof one === 'string' ? `${one}\ud800` : one;
  });
  return JSON.stringify(value);
}
