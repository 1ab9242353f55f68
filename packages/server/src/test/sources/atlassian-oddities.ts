/** Makes odd answers of right ones: what a connector must survive, although the vendor does not promise to send it. */

export type AtlassianOddity =
  /** Pages lack their list. */
  | 'page without list'
  /** The list of a page is empty, but there is a next page. */
  | 'empty page'
  /** The address or token of the next page is always the same. */
  | 'cursor repeats'
  /** Totals and sizes are wrong. */
  | 'totals lie'
  /** Names, titles and texts are null. */
  | 'null texts'
  /** Nodes of documents, elements of the storage format and values of enumerations are not known. */
  | 'unknown kinds'
  /** Texts end with half of a pair of surrogates. */
  | 'lone surrogates'
  /** Numbers come as texts, and texts of numbers as numbers. */
  | 'numbers as texts'
  | 'year 0'
  | 'year 9999'
  /** One text of each answer has 30 MB. */
  | 'huge text';

const LISTS = ['issues', 'values', 'comments', 'results'];
const TEXTS = ['summary', 'name', 'title', 'displayName', 'publicName', 'filename'];
const TIMES = /^(created|updated|createdAt|when|lastModified|resolutiondate)$/;
const TOTALS = ['total', 'totalSize', 'size', 'maxResults'];
const KINDS = ['status', 'accountType', 'projectTypeKey'];
const HUGE = 30 * 2 ** 20;

/** Takes and returns the text of an answer in JSON. */
export function oddAnswer(text: string, odd: ReadonlySet<AtlassianOddity>): string {
  let isHuge = odd.has('huge text');
  const value: unknown = JSON.parse(text, function (this: unknown, key, one: unknown) {
    if (odd.has('page without list') && LISTS.includes(key) && Array.isArray(one)) return undefined;
    if (odd.has('empty page') && LISTS.includes(key) && Array.isArray(one)) return [];
    if (odd.has('null texts') && TEXTS.includes(key)) return null;
    if (odd.has('totals lie') && TOTALS.includes(key)) return 0;
    if (odd.has('year 0') && TIMES.test(key)) return '0000-01-01T00:00:00.000Z';
    if (odd.has('year 9999') && TIMES.test(key)) return '9999-12-31T23:59:59.999Z';
    if (odd.has('cursor repeats') && key === 'nextPageToken') return 'the same token';
    if (odd.has('cursor repeats') && key === 'next' && typeof one === 'string')
      return one.replace(/cursor=[^&]*/, 'cursor=the-same');
    if (odd.has('unknown kinds')) {
      if (key === 'type' && one === 'paragraph') return 'quarryUnknown';
      if (key === 'value' && typeof one === 'string' && one.includes('<p>'))
        return one
          .replaceAll('<p>', '<ac:unknown ac:local-id="1"><p>')
          .replaceAll('</p>', '</p></ac:unknown>');
      if (KINDS.includes(key) && typeof one === 'string') return 'never-heard-of';
    }
    if (odd.has('numbers as texts')) {
      if (key === 'id' && typeof one === 'string' && /^\d{1,15}$/.test(one)) return Number(one);
      if (typeof one === 'number' && key !== 'version' && key !== 'status') return String(one);
    }
    if (typeof one === 'string' && (TEXTS.includes(key) || key === 'text')) {
      if (isHuge) {
        isHuge = false;
        return `${one} ${'long '.repeat(HUGE / 5)}`;
      }
      if (odd.has('lone surrogates')) return `${one}\ud800`;
    }
    return one;
  });
  return JSON.stringify(value);
}
