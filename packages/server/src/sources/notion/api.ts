/** These are the requests to Notion that this source sends. Lists have at most 100 records a page. */

import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import type { CloudRequest } from '../kit/outgoing.ts';
import { NotFound } from '../kit/refusal.ts';
import { serviceTime } from '../kit/service-time.ts';
import {
  CommentAnswer,
  type FoundRecord,
  listOf,
  NotionBlock,
  SearchResult,
  Self,
} from './answer.ts';
import { Invalid } from './refusal.ts';

const PAGE_SIZE = 100;

/** The id is encoded, so that it stays one part of the path whatever characters it has. */
export const pathOf = (kind: string, id: string, more = ''): string =>
  `v1/${kind}/${encodeURIComponent(id)}${more}`;

const FoundList = listOf(SearchResult);
const NEWEST_FIRST = { timestamp: 'last_edited_time', direction: 'descending' };

export interface NotionListing {
  readonly results: readonly FoundRecord[];
  readonly isCut: boolean;
  /** The answer was true at this time of Notion's clock, in milliseconds. */
  readonly at: number;
}

async function listedPage(http: Http, path: string, body: object) {
  const { value, headers } = await http.json({ path, body }, FoundList);
  const page: NotionListing = {
    results: value.results.flatMap((result) => result ?? []),
    isCut: value.request_status?.type === 'incomplete',
    at: serviceTime(headers),
  };
  return { page, next: value.has_more ? value.next_cursor : null };
}

/** Lists what is shared with the integration, from the last change to the first. */
export const searchAt = (http: Http, place: string | null, size = PAGE_SIZE) =>
  listedPage(http, 'v1/search', {
    sort: NEWEST_FIRST,
    page_size: size,
    ...(place !== null && { start_cursor: place }),
  }).catch((error: unknown) => {
    throw ofSearch(error, place);
  });

/** Lists the rows of a data source. */
export const rowsOf = (http: Http, source: string) =>
  pages<NotionListing, string>(null, (place) =>
    listedPage(http, pathOf('data_sources', source, '/query'), {
      page_size: PAGE_SIZE,
      ...(place !== null && { start_cursor: place }),
    }),
  );

function ofSearch(error: unknown, place: string | null): unknown {
  if (!(error instanceof SourceError) || error.kind !== 'skip') return error;
  const { message } = error;
  if (error instanceof Invalid)
    return new SourceError(place === null ? 'fatal' : 'outdated', message, { cause: error });
  return new SourceError('config', message, {
    hint: 'In the settings of the integration, under Capabilities, allow "Read content".',
    cause: error,
  });
}

const listAt = <T>(http: Http, { path, query }: CloudRequest, item: z.ZodType<T>) =>
  pages<T[], string>(null, async (start_cursor) => {
    const asked = { ...query, page_size: PAGE_SIZE, start_cursor: start_cursor ?? undefined };
    const { value } = await http.json({ path, query: asked }, listOf(item));
    return { page: value.results, next: value.has_more ? value.next_cursor : null };
  });

export const childrenOf = (http: Http, id: string) =>
  listAt(http, { path: pathOf('blocks', id, '/children') }, NotionBlock);

/** Only the comments on the page itself are listed: those on a block need a request for this block. */
export const listComments = (http: Http, page: string) =>
  listAt(http, { path: 'v1/comments', query: { block_id: page } }, CommentAnswer);

/** Lists the values of a property of which the page has only the first 25. */
export const valuesAt = (http: Http, page: string, property: string) => {
  const path = pathOf('pages', page, `/properties/${encodeURIComponent(decoded(property))}`);
  return listAt(http, { path }, z.looseObject({ type: z.string() }));
};

/** Notion encodes the ids of properties already. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Returns null for what does not exist, or is not shared with the integration. */
export const find = async <T>(http: Http, path: string, schema: z.ZodType<T>): Promise<T | null> =>
  (await findAt(http, path, schema))?.value ?? null;

/** The answer also says the time of Notion's clock at which it was true. */
export async function findAt<T>(http: Http, path: string, schema: z.ZodType<T>) {
  try {
    const { value, headers } = await http.json({ path }, schema);
    return { value, at: serviceTime(headers) };
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

export async function accountOf(http: Http): Promise<string> {
  const { value } = await http.json({ path: 'v1/users/me' }, Self);
  const name = value.name || 'Integration';
  return value.bot?.workspace_name ? `${name} in ${value.bot.workspace_name}` : name;
}

export const NOTHING_SHARED = new SourceError(
  'config',
  'Notion shares no page with the integration',
  {
    hint: 'In Notion, open a page, choose ••• and Connections, and add the integration. It then sees this page and everything below it.',
  },
);

/** Throws a SourceError 'config' when the integration may not read, or sees nothing. */
export async function checkShared(http: Http): Promise<void> {
  const { page, next } = await searchAt(http, null, 1);
  if (page.results.length === 0 && !next) throw NOTHING_SHARED;
}
