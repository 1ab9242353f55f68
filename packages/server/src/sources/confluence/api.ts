/** These are the requests to Confluence that this source sends. Lists of the second version have at most 250 items a page. */

import type { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { ifReadable } from '../atlassian/refusal.ts';
import type { Http } from '../kit/http.ts';
import { nextLink, pages } from '../kit/listing.ts';
import type { CloudRequest } from '../kit/outgoing.ts';
import { serviceTime } from '../kit/service-time.ts';
import {
  AttachmentAnswer,
  ContentAnswer,
  CurrentUser,
  Newest,
  pageOf,
  SpaceAnswer,
  ThreadComment,
} from './answer.ts';

/** A site of Confluence, as the connection reaches it. */
export interface ConfluenceSite {
  readonly http: Http;
  /** Paths of the site begin with this. It is empty or ends with a slash. */
  readonly at: string;
}

export const PAGE_SIZE = 250;
/** Few records change between two pulls. */
const CHANGES_PAGE_SIZE = 50;

const V2 = 'wiki/api/v2';
export const pathOf = (kind: string, id: string, more = ''): string =>
  `${V2}/${kind}/${encodeURIComponent(id)}${more}`;
export const v1PathOf = (kind: string, id: string, more = ''): string =>
  `wiki/rest/api/${kind}/${encodeURIComponent(id)}${more}`;

export const ask = <T>(
  { http, at }: ConfluenceSite,
  { path, ...request }: CloudRequest,
  schema: z.ZodType<T>,
): ReturnType<typeof http.json<T>> => http.json({ path: `${at}${path}`, ...request }, schema);

interface ListingOf<T> {
  readonly item: z.ZodType<T>;
  /** The listing begins with this page. */
  readonly from?: string | null;
  /** Gets the address of the site, which each page tells. */
  readonly tell?: (base: string) => void;
}
/** Yields the pages of a listing of either version, whose links to the next page have a cursor. */
export const listAt = <T>(
  site: ConfluenceSite,
  { path, query }: CloudRequest,
  { item, from = null, tell }: ListingOf<T>,
) =>
  pages<T[], string>(from, async (cursor) => {
    const asked = { limit: PAGE_SIZE, ...query, cursor: cursor ?? undefined };
    const { value, headers } = await ask(site, { path, query: asked }, pageOf(item));
    tell?.(value._links.base);
    // The second version tells the next page in its answer and in a header.
    const next = value._links.next || (nextLink(headers) ?? '');
    return { page: value.results, next: cursorIn(next) };
  });

/** A plus sign in a link is one of the cursor, which is Base64. */
function cursorIn(next: string): string | null {
  if (next === '') return null;
  const [, cursor] = /[?&]cursor=([^&#]+)/.exec(next) ?? [];
  if (cursor === undefined)
    throw new SourceError('fatal', 'Confluence names a next page without its cursor');
  try {
    return decodeURIComponent(cursor);
  } catch {
    return cursor;
  }
}

/** Returns null for what is gone, and for what the account does not see. */
export const contentAt = (
  site: ConfluenceSite,
  { kind, id, format }: { kind: string; id: string; format?: 'storage' },
): Promise<ContentAnswer | null> => {
  const request = {
    path: pathOf(`${kind}s`, id),
    ...(format && { query: { 'body-format': format } }),
  };
  return ifReadable(async () => (await ask(site, request, ContentAnswer)).value, null);
};

/** `at` is the time of Confluence's clock, in milliseconds. Throws a SourceError 'auth' when nobody is signed in. */
export async function selfOf(site: ConfluenceSite) {
  const { value, headers } = await ask(site, { path: 'wiki/rest/api/user/current' }, CurrentUser);
  if (value.type === 'anonymous' || value.accountId === '') throw NOBODY;
  return {
    name: value.email || value.displayName || value.accountId,
    at: serviceTime(headers),
  };
}
/** Confluence may take wrong credentials for those of somebody who has not signed in, and shows what is open to all. */
const NOBODY = new SourceError('auth', 'Confluence does not accept the credentials', {
  hint: 'Check the e-mail address, and make a new API token: the old one may have expired.',
});

/** The records of these kinds are listed for the whole site, so that what moves between spaces is not missed. */
export const LISTINGS = {
  page: { path: `${V2}/pages`, item: ContentAnswer, order: 'id', query: { status: 'current' } },
  blogpost: {
    ...{ path: `${V2}/blogposts`, item: ContentAnswer, order: 'id' },
    query: { status: 'current' },
  },
  footer: {
    ...{ path: `${V2}/footer-comments`, item: ThreadComment, order: 'created-date' },
    query: { 'body-format': 'storage' },
  },
  inline: {
    ...{ path: `${V2}/inline-comments`, item: ThreadComment, order: 'created-date' },
    query: { 'body-format': 'storage' },
  },
  attachment: {
    ...{ path: `${V2}/attachments`, item: AttachmentAnswer, order: 'created-date' },
    query: { status: 'current' },
  },
} as const;
export const KINDS = ['page', 'blogpost', 'footer', 'inline', 'attachment'] as const;
export type ListedKind = (typeof KINDS)[number];
export type ListedAnswer = ContentAnswer | ThreadComment | AttachmentAnswer;

/** Lists everything, in an order that no edit changes. */
export const everythingOf = (site: ConfluenceSite, kind: ListedKind, from: string | null) => {
  const { path, order, query } = LISTINGS[kind];
  const item: z.ZodType<ListedAnswer> = LISTINGS[kind].item;
  return listAt<ListedAnswer>(site, { path, query: { ...query, sort: order } }, { item, from });
};

/** Lists what has changed at this time or later, in milliseconds. A record without a time may have changed at any time. */
export async function* changesOf(
  site: ConfluenceSite,
  kind: ListedKind,
  since: number,
): AsyncGenerator<ListedAnswer[], void, void> {
  const { path, query } = LISTINGS[kind];
  const asked = { ...query, sort: '-modified-date', limit: CHANGES_PAGE_SIZE };
  const item: z.ZodType<ListedAnswer> = LISTINGS[kind].item;
  const isOld = ({ version }: ListedAnswer) => Number(version.createdAt ?? since) < since;
  for await (const { page } of listAt<ListedAnswer>(site, { path, query: asked }, { item })) {
    yield page.filter((one) => !isOld(one));
    if (page.some(isOld)) return;
  }
}

/**
 * Returns the time of the last change of a comment or a file that the search knows, in milliseconds, or null when it
 * knows none. The search learns of changes late. A page of it may be empty although there is a next one.
 */
export async function newestBelow(site: ConfluenceSite): Promise<number | null> {
  const cql = 'type in (comment, attachment) order by lastmodified desc';
  const request = { path: 'wiki/rest/api/search', query: { cql, limit: 1 } };
  for await (const { page } of listAt(site, request, { item: Newest })) {
    const [newest] = page;
    if (newest) return Number(newest.lastModified ?? Number.POSITIVE_INFINITY);
  }
  return null;
}

/**
 * `keys` are those of the wanted spaces. Without any, all current spaces are listed that the account sees. `url` is where
 * people open Confluence, without a slash at its end, or ''.
 */
export async function spacesOf(
  site: ConfluenceSite,
  keys: readonly string[],
): Promise<{ readonly spaces: SpaceAnswer[]; readonly url: string }> {
  const query = {
    ...{ status: 'current', 'description-format': 'plain' },
    ...(keys.length > 0 && { keys }),
  };
  const found = new Map<string, SpaceAnswer>();
  let url = '';
  const tell = (base: string) => {
    url ||= base.replace(/\/*$/, '');
  };
  const listing = listAt(site, { path: `${V2}/spaces`, query }, { item: SpaceAnswer, tell });
  for await (const { page } of listing) for (const space of page) found.set(space.id, space);
  for (const key of keys)
    if (keys.length > 1 && ![...found.values()].some((space) => space.key === key)) {
      const one = { path: `${V2}/spaces`, query: { ...query, keys: key } };
      for await (const { page } of listAt(site, one, { item: SpaceAnswer }))
        for (const space of page) found.set(space.id, space);
    }
  return { spaces: [...found.values()], url };
}
