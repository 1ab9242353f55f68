/** The records of a website. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { Breadcrumb, Entity, FileRef } from '../../model/entity.ts';
import { addressOf, shownHost } from './address.ts';
import type { FeedEntry } from './list.ts';
import { dateOf, decoded, type PageFacts } from './page.ts';

export const PAGE = 'WebPage';
export const DOCUMENT = 'WebDocument';
export const FEED_ENTRY = 'WebFeedEntry';

const text = (title: string, description: string) => z.string().meta({ title, description });
const Place = z.object({
  host: text('Host', 'Name of the host, such as docs.example.org.'),
  path: text('Path', 'Path of the address, such as /guide/start.'),
});

export const entities = {
  [PAGE]: Place.extend({
    language: z.string().nullable().meta({ description: 'Language that the page states.' }),
    description: z.string().nullable().meta({ description: 'Description that the page states.' }),
  }),
  [DOCUMENT]: Place.extend({ size: z.int().meta({ description: 'Size in bytes.' }) }),
  [FEED_ENTRY]: z.object({ feed: text('Feed', 'Address of the feed.') }),
};

/** Extensions of the types under which servers send files with text. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.oasis.opendocument.text': '.odt',
  'application/vnd.oasis.opendocument.presentation': '.odp',
  'application/vnd.oasis.opendocument.spreadsheet': '.ods',
  'application/epub+zip': '.epub',
  'application/msword': '.doc',
  'application/vnd.ms-powerpoint': '.ppt',
  'application/vnd.ms-excel': '.xls',
  'application/rtf': '.rtf',
  'text/rtf': '.rtf',
  'text/calendar': '.ics',
  'text/vtt': '.vtt',
  'text/plain': '.txt',
  'text/markdown': '.md',
  'text/x-markdown': '.md',
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
};
const BY_NAME: ReadonlySet<string> = new Set(Object.values(EXTENSIONS));

export const isDocumentType = (type: string): boolean => Object.hasOwn(EXTENSIONS, type);
export const extensionOf = (address: string): string =>
  /\.[a-z\d]{1,8}$/i.exec(nameOf(address))?.[0].toLowerCase() ?? '';
export const isNamedDocument = (address: string): boolean => BY_NAME.has(extensionOf(address));

/** The extension of the name decides how the file is read, so a name without one gets that of its type. */
export function fileName(address: string, type: string): string {
  const name = nameOf(address).slice(-200) || 'document';
  const extension = EXTENSIONS[type];
  if (extension === undefined || name.toLowerCase().endsWith(extension)) return name;
  return type === 'text/plain' && extensionOf(address) !== '' ? name : `${name}${extension}`;
}

const nameOf = (address: string): string =>
  basename(decoded(new URL(address).pathname)).replaceAll(/[/\\\0]/g, '_');

const placeOf = (address: string) => {
  const { host, pathname } = new URL(address);
  return { host: shownHost(host), path: decoded(pathname) };
};

/** The host, and then the folders of the path. */
function breadcrumbsOf(address: string): Breadcrumb[] {
  const { origin, host, pathname } = new URL(address);
  const folders = pathname.split('/').slice(1, -1);
  return [
    { id: `${origin}/`, name: shownHost(host), type: 'site' },
    ...folders.map((name, i) => ({
      id: `${origin}/${folders.slice(0, i + 1).join('/')}/`,
      name: decoded(name),
      type: 'folder',
    })),
  ].filter(({ id }) => id !== address);
}

export interface FoundPage {
  /** The id of the record; its content may be at another address, to which this one leads. */
  readonly id: string;
  readonly address: string;
  readonly facts: PageFacts;
  readonly html: string;
  readonly lastmod: string | null;
}

export const ofPage = ({ id, address, facts, html, lastmod }: FoundPage): Entity => ({
  id,
  type: PAGE,
  name: facts.title || nameOf(address) || shownHost(new URL(address).host),
  text: '',
  html,
  url: address,
  breadcrumbs: breadcrumbsOf(address),
  createdAt: facts.published,
  updatedAt: facts.modified ?? dateOf(lastmod ?? undefined),
  fields: { ...placeOf(address), language: facts.language, description: facts.description },
});

export const ofDocument = (address: string, file: FileRef, modified: string | null): Entity => ({
  id: address,
  type: DOCUMENT,
  name: nameOf(address) || file.name,
  text: '',
  file,
  url: address,
  breadcrumbs: breadcrumbsOf(address),
  updatedAt: dateOf(modified ?? undefined),
  fields: { ...placeOf(address), size: file.size },
});

/** An entry whose page is not read is a record of its own, with the text that the feed has of it. */
export function ofFeedEntry(entry: FeedEntry, feed: { address: string; title: string }): Entity {
  const url = addressOf(entry.link, feed.address);
  return {
    id: url ?? `${feed.address}#${entry.id}`,
    type: FEED_ENTRY,
    name: entry.title || url || 'Untitled',
    text: '',
    html: entry.html,
    ...(url !== null && { url }),
    breadcrumbs: [{ id: feed.address, name: feed.title || feed.address, type: 'feed' }],
    createdAt: dateOf(entry.published),
    updatedAt: dateOf(entry.updated),
    fields: { feed: feed.address },
  };
}
