/**
 * Reads files that are lists of items with a title: feeds (RSS 2.0, RSS 1.0, Atom in RFC 4287), notes of Evernote (ENEX),
 * and places (KML 2.2, GPX 1.1). Each item becomes a section.
 */
import { inOneLine } from '../../util.ts';
import type { About, Converted } from '../convert.ts';
import { htmlToMarkdown } from '../html.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import { localName, parseXml, type XmlAttributes } from './parse.ts';

type Field =
  | 'title'
  | 'date'
  | 'link'
  | 'author'
  | 'tag'
  | 'content'
  | 'summary'
  | 'pair'
  | 'language';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** These are the local names of the items by that of the root. */
const ITEMS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['rss', words('item')],
  ['rdf', words('item')],
  ['feed', words('entry')],
  ['en-export', words('note')],
  ['kml', words('placemark folder')],
  ['gpx', words('wpt rte rtept trk')],
]);
/** The rest of a file with such a root is coordinates. */
const PLACES = words('kml gpx');
/** These are the elements around the items whose fields describe the whole file. */
const WHOLES = words('channel feed document metadata gpx');

/** Names with a prefix are only here when they mean the same as in a feed: `media:title` is the title of a picture. */
const FIELDS: Readonly<Record<string, Field>> = {
  title: 'title',
  name: 'title',
  'dc:title': 'title',
  pubdate: 'date',
  published: 'date',
  updated: 'date',
  'dc:date': 'date',
  created: 'date',
  time: 'date',
  link: 'link',
  author: 'author',
  'dc:creator': 'author',
  category: 'tag',
  tag: 'tag',
  'content:encoded': 'content',
  content: 'content',
  description: 'summary',
  summary: 'summary',
  subtitle: 'summary',
  desc: 'summary',
  cmt: 'summary',
  address: 'summary',
  language: 'language',
};
/** KML has the values of a table in these elements, which are deeper than the other fields. */
const PAIRS = words('data simpledata');

type Fields = Partial<Record<Field, string[]>>;

interface Capture {
  readonly field: Field;
  readonly depth: number;
  readonly into: Fields;
  /** If true, the text is HTML that was written as text; otherwise elements in it are HTML themselves. */
  readonly isEscaped: boolean;
  readonly label: string;
  readonly parts: string[];
}

interface OpenItem {
  readonly depth: number;
  readonly outer: OpenItem | null;
  fields: Fields;
}

/** Returns null when the file has no items of its vocabulary. */
export function itemsToMarkdown(source: string, name: string): Converted | null {
  const stack: string[] = [];
  const whole: Fields = {};
  const sections: string[] = [];
  let item: OpenItem | null = null;
  let capture: Capture | null = null;
  let root = '';
  let hasItems = false;
  let hasOtherText = false;
  let characters = 0;

  function write(one: OpenItem | null): void {
    if (!one || characters > MAX_CHARACTERS) return;
    const section = sectionOf(one.fields);
    one.fields = {};
    characters += section.length;
    if (section !== '') sections.push(section);
  }

  function fieldAt(tag: string, { name }: XmlAttributes): Field | undefined {
    if (item && name !== undefined && PAIRS.has(localName(tag))) return 'pair';
    const isDirect = item
      ? stack.length === item.depth + 1
      : WHOLES.has(localName(stack.at(-2) ?? ''));
    return isDirect ? fieldOf(tag) : undefined;
  }

  function begin(tag: string, attributes: XmlAttributes): void {
    if (ITEMS.get(root)?.has(localName(tag))) {
      hasItems = true;
      // An item in another one, such as a place in a folder, comes after the fields of that one.
      write(item);
      item = { depth: stack.length, outer: item, fields: {} };
      return;
    }
    const field = fieldAt(tag, attributes);
    if (field === undefined) return;
    const into = item?.fields ?? whole;
    const { href, rel = 'alternate', type, term, name: label = '' } = attributes;
    const value = field === 'link' ? href : field === 'tag' ? term : undefined;
    const isEscaped = isHtml(type, root === 'feed');
    if (value === undefined)
      capture = { field, depth: stack.length, into, isEscaped, label, parts: [] };
    else if (field === 'tag' || rel === 'alternate') addTo(into, field, value);
  }

  parseXml(source, {
    open(tag, attributes) {
      stack.push(tag);
      if (stack.length === 1) root = localName(tag);
      if (capture) capture.parts.push(markup(tag, attributes));
      else begin(tag, attributes);
    },
    close(tag) {
      if (capture?.depth === stack.length) {
        addTo(capture.into, capture.field, capturedText(capture));
        capture = null;
      } else if (capture) capture.parts.push(`</${localName(tag)}>`);
      else if (item?.depth === stack.length) {
        write(item);
        item = item.outer;
      }
      stack.pop();
    },
    text(data) {
      if (capture) capture.parts.push(capture.isEscaped ? data : escaped(data));
      else hasOtherText ||= data.trim() !== '';
    },
  });
  const isOnlyTitle = whole.title !== undefined && !hasOtherText;
  const isOfPlaces = hasItems && PLACES.has(root);
  if (sections.length === 0 && !isOnlyTitle && !isOfPlaces) return null;
  const title = lineOf(whole.title) || name;
  const head = title === '' ? [] : [`# ${title}`];
  return {
    text: [...head, ...contentOf(whole), ...sections].join('\n\n'),
    about: aboutOf(whole),
  };
}

/** Says whether a text is HTML. A text of Atom is plain unless its type says otherwise (RFC 4287, 3.1.1 and 4.1.3). */
const isHtml = (type: string | undefined, isAtom: boolean): boolean =>
  isAtom ? type === 'html' || type === 'text/html' : type !== 'xhtml' && type !== 'text';

const fieldOf = (tag: string): Field | undefined => {
  const name = tag.toLowerCase();
  return Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
};

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function markup(tag: string, { href }: XmlAttributes): string {
  const name = localName(tag);
  return href === undefined
    ? `<${name}>`
    : `<${name} href="${escaped(href).replaceAll('"', '&quot;')}">`;
}

function addTo(fields: Fields, field: Field, value: string): void {
  if (value.trim() === '') return;
  fields[field] ??= [];
  fields[field].push(value);
}

const capturedText = ({ label, parts }: Capture): string =>
  label === '' ? parts.join('') : `${escaped(label)}: ${parts.join('')}`;

/** Returns the first value as one line without markup. */
function lineOf([value = '']: readonly string[] = []): string {
  // A file may have a million titles, and most of them have no markup.
  return inOneLine(/[<&]/.test(value) ? htmlToMarkdown(value) : value);
}

function sectionOf(fields: Fields): string {
  const title = lineOf(fields.title);
  const facts = [
    dateOf(fields.date),
    ...(fields.author ?? []).map((author) => lineOf([author])),
    lineOf(fields.link),
    ...(fields.tag ?? []).map((tag) => lineOf([tag])),
  ].filter((fact) => fact !== '');
  const blocks = [
    ...(title === '' ? [] : [`## ${title}`]),
    ...(facts.length === 0 ? [] : [facts.join(', ')]),
    ...contentOf(fields),
  ];
  return blocks.join('\n\n');
}

/** The summary of an item is mostly the beginning of its content. */
function contentOf({ content, summary, pair = [] }: Fields): string[] {
  const texts = [...(content ?? summary ?? []), ...pair];
  return texts
    .map((html) => htmlToMarkdown(html, { headingsBelow: 2 }))
    .filter((text) => text !== '');
}

/** Evernote writes `20240131T120000Z`. */
const COMPACT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

function dateOf(values: readonly string[] = []): string {
  const text = inOneLine(values[0] ?? '')
    .slice(0, 60)
    .replace(COMPACT, '$1-$2-$3T$4:$5:$6Z');
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, 10);
}

function aboutOf({ title, author, language = [] }: Fields): About {
  const tag = inOneLine(language[0] ?? '');
  return {
    ...(title && { title: lineOf(title) }),
    ...(author && { author: lineOf(author) }),
    ...(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(tag) && { language: tag }),
  };
}
