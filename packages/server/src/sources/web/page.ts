/** Finds in the HTML of a page what a crawl needs: links, what the page says about itself, and a print of its text. */
import { setImmediate as giveWay } from 'node:timers/promises';
import { sha256 } from '../../model/hash.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import { inOneLine } from '../../util.ts';
import { addressOf } from './address.ts';
import { readMarkup, type TagAttributes } from './markup.ts';

/** More links of one page are not followed. */
export const MAX_LINKS = 10_000;
const RESOLVED_AT_ONCE = 500;
const MAX_TEXT = 20_000;
const MAX_SCRIPT = 200_000;

export interface PageFacts {
  readonly title: string;
  readonly language: string | null;
  readonly description: string | null;
  readonly published: Date | undefined;
  readonly modified: Date | undefined;
  readonly isIndexed: boolean;
  /** Normalised addresses, each once. They are empty when the page asks not to follow its links. */
  readonly links: readonly string[];
  /** The page has more links than are followed. */
  readonly hasMoreLinks: boolean;
  /** The page says that this other address has the same content. */
  readonly canonical: string | null;
  /** Two pages with the same print have the same title and text, apart from their own address and from everything but letters. */
  readonly print: string;
}

export interface PageToRead {
  readonly html: string;
  readonly address: string;
  readonly headers: ResponseHeaders;
  readonly signal: AbortSignal;
}

export async function readPage(page: PageToRead): Promise<PageFacts> {
  const { html, address, headers, signal } = page;
  const read = new HeadAndLinks(address, rulesIn(headers.get('x-robots-tag') ?? ''));
  await readMarkup(html, { xmlMode: false, signal }, read);
  const { rules, links, base, meta, script, canonical } = read;
  const stated = (fields: readonly string[], field: string) =>
    fields.map((name) => dateOf(meta.get(name))).find((date) => date !== undefined) ??
    dateOf(new RegExp(`"${field}"\\s*:\\s*"([^"]{1,40})"`).exec(script)?.[1]);
  const name = inOneLine(read.title);
  const isFollowed = !rules.has('nofollow') && !rules.has('none');
  return {
    title: name || inOneLine(meta.get('og:title') ?? ''),
    language: read.language || null,
    description: inOneLine(meta.get('description') ?? meta.get('og:description') ?? '') || null,
    published: stated(PUBLISHED, 'datePublished'),
    modified: stated(MODIFIED, 'dateModified'),
    isIndexed: !rules.has('noindex') && !rules.has('none'),
    links: isFollowed ? await resolved(links, base) : [],
    hasMoreLinks: isFollowed && links.size === MAX_LINKS,
    canonical: canonical === '' ? null : addressOf(canonical, base),
    print: printOf(`${name}\n${read.words}`, address),
  };
}

const PUBLISHED = [
  'article:published_time',
  'datepublished',
  'time:datepublished',
  'dcterms.created',
  'date',
];
const MODIFIED = [
  'article:modified_time',
  'datemodified',
  'time:datemodified',
  'dcterms.modified',
  'last-modified',
];
const WANTED_META = new Set([
  ...['description', 'og:description', 'og:title'],
  ...PUBLISHED,
  ...MODIFIED,
]);

/** Collects what the tags of a page say. */
class HeadAndLinks {
  readonly links = new Set<string>();
  readonly meta = new Map<string, string>();
  readonly rules: Set<string>;
  base: string;
  canonical = '';
  language = '';
  title = '';
  words = '';
  script = '';
  private readonly address: string;
  /** The innermost open element whose text is not that of the page. */
  private within = '';

  constructor(address: string, rules: Set<string>) {
    this.address = address;
    this.base = address;
    this.rules = rules;
  }

  open(name: string, attributes: TagAttributes): void {
    this.within = TEXTLESS.has(name) ? name : '';
    const get = (attribute: string) => attributes.get(attribute)?.trim() ?? '';
    if (name === 'script' && get('type') === 'application/ld+json') this.within = 'data';
    OPENERS[name]?.(this, get);
  }

  close(name: string): void {
    if (TEXTLESS.has(name)) this.within = '';
  }

  text(piece: string): void {
    if (this.within === 'title') this.title = (this.title + piece).slice(0, 1000);
    else if (this.within === 'data') this.script += this.script.length < MAX_SCRIPT ? piece : '';
    else if (this.within === '' && this.words.length < MAX_TEXT)
      this.words += `${piece.slice(0, MAX_TEXT)} `;
  }

  note(field: string, value: string): void {
    if (WANTED_META.has(field) && !this.meta.has(field)) this.meta.set(field, value.slice(0, 1000));
  }

  follow(link: string): void {
    if (this.links.size < MAX_LINKS) this.links.add(link);
  }

  /** Only the first one counts. */
  setBase(link: string): void {
    if (this.base === this.address) this.base = addressOf(link, this.address) ?? this.address;
  }
}

type Opener = (page: HeadAndLinks, get: (attribute: string) => string) => void;

const anchor: Opener = (page, get) => {
  if (get('href') !== '' && !/\bnofollow\b/i.test(get('rel'))) page.follow(get('href'));
};
const OPENERS: Readonly<Record<string, Opener>> = {
  a: anchor,
  area: anchor,
  base: (page, get) => page.setBase(get('href')),
  html(page, get) {
    page.language ||= get('lang').slice(0, 40);
  },
  link(page, get) {
    if (/\bcanonical\b/i.test(get('rel'))) page.canonical ||= get('href');
  },
  time: (page, get) => page.note(`time:${get('itemprop').toLowerCase()}`, get('datetime')),
  meta(page, get) {
    const field = (get('name') || get('property') || get('itemprop')).toLowerCase();
    if (field === 'robots' || field === 'quarry')
      for (const rule of rulesIn(get('content'))) page.rules.add(rule);
    else page.note(field, get('content'));
  },
};

/** The text of these elements is not that of the page. */
const TEXTLESS = new Set(['script', 'style', 'title', 'template', 'noscript']);

/** Reads rules such as `noindex, nofollow`. Those that begin with the name of another robot do not concern us. */
export function rulesIn(content: string): Set<string> {
  const rules = new Set<string>();
  let isForUs = true;
  for (const part of content.toLowerCase().split(',')) {
    const [, robot, rule = ''] = /^\s*(?:([\w-]+)\s*:)?\s*(.*?)\s*$/.exec(part) ?? [];
    const isValue =
      robot !== undefined && (robot.startsWith('max-') || robot === 'unavailable_after');
    if (robot !== undefined && !isValue) isForUs = robot === 'quarry';
    if (isForUs && !isValue) rules.add(rule);
  }
  return rules;
}

export function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text?.trim() || Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

async function resolved(links: ReadonlySet<string>, base: string): Promise<string[]> {
  const addresses = new Set<string>();
  let count = 0;
  for (const link of links) {
    if (++count % RESOLVED_AT_ONCE === 0) await giveWay();
    const address = addressOf(link, base);
    if (address !== null) addresses.add(address);
  }
  return [...addresses];
}

/** Error pages repeat the address that was asked for, and often a time or the number of a request. */
function printOf(text: string, address: string): string {
  const { pathname, search } = new URL(address);
  const parts = [address, pathname + search, decoded(pathname), pathname];
  const plain = parts
    .filter((part) => part.length > 1)
    .reduce((rest, part) => rest.replaceAll(part, ' '), text);
  return sha256(plain.replaceAll(/\P{L}+/gu, ' '));
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Other encodings than UTF-8 stay as they are.
    return text;
  }
}
