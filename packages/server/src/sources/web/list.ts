/**
 * Reads sitemaps (https://www.sitemaps.org/protocol.html), RSS (https://www.rssboard.org/rss-specification) and Atom
 * (RFC 4287). Elements with a prefix, such as those for news, images and other languages, are not part of a sitemap and are
 * left out.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { decodeText } from '../../documents/plain.ts';
import { SourceError } from '../../errors.ts';
import { readMarkup, type TagAttributes } from './markup.ts';

/** The protocol allows sitemaps of 50 MB. */
export const MAX_LIST_BYTES = 50 * 2 ** 20;
const MAX_FIELD = 1_000_000;

export interface ListedPage {
  readonly link: string;
  /** The time of the last change, as a sitemap writes it. */
  readonly lastmod: string;
}

export interface FeedEntry {
  readonly id: string;
  readonly link: string;
  readonly title: string;
  readonly html: string;
  readonly published: string;
  readonly updated: string;
}

export type SiteList =
  | { readonly is: 'index'; readonly maps: readonly string[] }
  | { readonly is: 'sitemap'; readonly pages: readonly ListedPage[] }
  | { readonly is: 'feed'; readonly title: string; readonly entries: readonly FeedEntry[] };

/** The root elements, and the elements of which they are lists. */
const ROOTS: Readonly<Record<string, string>> = {
  urlset: 'url',
  sitemapindex: 'sitemap',
  rss: 'item',
  'rdf:RDF': 'item',
  feed: 'entry',
};

/** Returns the text of a list. Throws a SourceError 'skip' for a compressed one that is broken or too large. */
export async function listText(bytes: Buffer, charset: string | undefined): Promise<string | null> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return decodeText(bytes, charset ?? declared(bytes));
  const plain = await promisify(gunzip)(bytes, { maxOutputLength: MAX_LIST_BYTES }).catch(
    (cause: NodeJS.ErrnoException) => {
      const isLarge = cause.code === 'ERR_BUFFER_TOO_LARGE';
      const what = isLarge ? 'is larger than 50 MB without its compression' : 'is damaged';
      throw new SourceError('skip', `the compressed sitemap ${what}`, { cause });
    },
  );
  return decodeText(plain, charset ?? declared(plain));
}

/** Only encodings in which ASCII is readable can be read in a declaration; UTF-16 has a byte order mark. */
function declared(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 200).toString('latin1');
  return knownCharset(/^\s*<\?xml[^>]{0,100}encoding\s*=\s*["']([\w.:-]{1,40})/.exec(head)?.[1]);
}

/** Returns the encoding if it is known and not UTF-8, which is recognized without a name. */
export function knownCharset(label: string | undefined): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === 'utf-8' ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** Returns null when the text is not a list. Throws a SourceError 'skip' when it ends in the middle. */
export async function readList(text: string, signal: AbortSignal): Promise<SiteList | null> {
  const [root, ...others] = rootsIn(text);
  if (root === undefined || others.length > 0) return null;
  const item = ROOTS[root] ?? '';
  let isWhole = false;
  let depth = 0;
  let itemDepth = 0;
  let field = '';
  let feedTitle = '';
  let fields = new Map<string, string>();
  const items: Map<string, string>[] = [];
  const set = (name: string, value: string) => {
    if (value !== '' && !fields.has(name)) fields.set(name, value);
  };
  await readMarkup(
    text,
    { xmlMode: true, signal },
    {
      open(name, attributes) {
        depth++;
        if (itemDepth === 0 && name === item) {
          itemDepth = depth;
          fields = new Map();
        } else if (itemDepth > 0 && depth === itemDepth + 1) {
          field = name;
          if (name === 'link') set('link', hrefOf(attributes));
        } else if (itemDepth === 0 && name === 'title' && feedTitle === '') field = 'feed title';
      },
      text(piece) {
        if (field === 'feed title') feedTitle = (feedTitle + piece).slice(0, 1000);
        else if (field !== '') {
          const known = fields.get(field) ?? '';
          if (known.length < MAX_FIELD) fields.set(field, known + piece.slice(0, MAX_FIELD));
        }
      },
      close(name) {
        if (depth === itemDepth + 1 || itemDepth === 0) field = '';
        if (itemDepth > 0 && name === item) {
          items.push(fields);
          itemDepth = 0;
          field = '';
        }
        depth--;
        isWhole ||= name === root;
      },
    },
  );
  if (!isWhole) throw new SourceError('skip', 'the list of pages ends in the middle');
  if (root === 'sitemapindex')
    return { is: 'index', maps: items.map((one) => get(one, 'loc')).filter(Boolean) };
  if (root === 'urlset')
    return {
      is: 'sitemap',
      pages: items.map((one) => ({ link: get(one, 'loc'), lastmod: get(one, 'lastmod') })),
    };
  return { is: 'feed', title: feedTitle.trim(), entries: items.map(entryOf) };
}

const get = (fields: ReadonlyMap<string, string>, ...names: readonly string[]): string =>
  names.map((name) => fields.get(name)?.trim() ?? '').find(Boolean) ?? '';

const entryOf = (fields: ReadonlyMap<string, string>): FeedEntry => ({
  id: get(fields, 'guid', 'id'),
  link: get(fields, 'link', 'guid'),
  title: get(fields, 'title').replaceAll(/\s+/g, ' '),
  html: get(fields, 'content:encoded', 'content', 'description', 'summary'),
  published: get(fields, 'pubDate', 'published', 'dc:date'),
  updated: get(fields, 'updated', 'pubDate', 'dc:date'),
});

/** Atom has several links of an entry; the one to its page has the relation `alternate` or none. */
const hrefOf = (attributes: TagAttributes): string =>
  /^(?:alternate)?$/.test(attributes.get('rel') ?? '') ? (attributes.get('href') ?? '') : '';

/** Returns the name of the root element if it is one of a list. */
function rootsIn(text: string): string[] {
  const start = text
    .slice(0, 8192)
    .replaceAll(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?\s*>/g, '');
  const name = /^\s*<([\w:.-]+)/.exec(start)?.[1];
  return name !== undefined && Object.hasOwn(ROOTS, name) ? [name] : [];
}
