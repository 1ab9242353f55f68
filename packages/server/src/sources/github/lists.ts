/** Reads GitHub's listings page by page. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import type { Http } from '../kit/http.ts';
import { nextLink, pages } from '../kit/listing.ts';
import type { CloudRequest } from '../kit/outgoing.ts';

const PAGE = { per_page: 100 };

type ListRequest = Pick<CloudRequest, 'path' | 'query'>;

/** Yields the pages of a listing in GitHub's order. */
export async function* linked<T>(
  http: Http,
  { path, query }: ListRequest,
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly items: readonly T[]; readonly headers: ResponseHeaders }, void, void> {
  const first = { path, query: { ...PAGE, ...query } };
  const all = pages<{ value: T[]; headers: ResponseHeaders }, string>(null, async (place) => {
    const page = await http.json(place === null ? first : { path: place }, z.array(schema));
    return { page, next: nextLink(page.headers) };
  });
  for await (const { page } of all) yield { items: page.value, headers: page.headers };
}

interface Changeable {
  readonly updated_at: string;
}

/** A listing goes on at this place: `<since> <page>`, where an empty `since` is the beginning. */
type Place = string;

export const placeSince = (since: string): Place => `${since} 1`;

/**
 * Yields the records of a listing from the one that was changed longest ago to the newest. Each request begins at the
 * last change in the answer before it, and not at a page number. When a record is changed or deleted meanwhile, the
 * records after it move forward. One of them may move to a page that was already read, so a listing by page numbers
 * would miss it. Pages are counted only among records that were changed in the same second. Some records are yielded
 * twice.
 */
export const changed = <T extends Changeable>(
  http: Http,
  { path, query }: ListRequest,
  { schema, from }: { readonly schema: z.ZodType<T>; readonly from: Place | null },
) =>
  pages<readonly T[], Place>(from, async (place) => {
    const [since = '', page = '1'] = (place ?? placeSince('')).split(' ');
    const { value, headers } = await http.json(
      {
        path,
        query: {
          ...PAGE,
          ...query,
          sort: 'updated',
          direction: 'asc',
          page,
          since: since === '' ? undefined : since,
        },
      },
      z.array(schema),
    );
    // This page answers another request, and the records that belong here would be missed.
    if (value.some(({ updated_at }) => Date.parse(updated_at) < Date.parse(since)))
      throw new SourceError('transient', `GitHub answered with another page of ${path}`);
    const last = value.at(-1);
    if (nextLink(headers) === null) return { page: value };
    // A page may be empty in the middle of a listing.
    const then = last ? secondBefore(last.updated_at) : '';
    const next = then > since ? placeSince(then) : `${since} ${Number(page) + 1}`;
    return { page: value, next };
  });

/**
 * The request begins one second earlier, so that it does not matter whether GitHub includes changes at the time `since`
 * itself.
 */
const secondBefore = (time: string): string => timeOf(Date.parse(time) - 1000);

/** GitHub takes and gives times in this form, which sorts as text. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
