/**
 * Lists conversations and tickets by searches in the order of `updated_at`. A record that changes meanwhile moves to the
 * end of the list, so it comes again and none is missed. The place of a page is made of the last record of the page
 * before, so it does not shift.
 */
import type { z } from 'zod';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import { Conversations, Tickets } from './answers.ts';
import { apiOf, type Region } from './regions.ts';

/** A ticket comes with its parts, up to 500 of them, and a conversation without. */
const PER_PAGE = { conversations: 150, tickets: 20 };

/** The place is null for the first page. */
export interface IntercomSearch {
  readonly region: Region;
  /** Records that changed at this second or later are listed. */
  readonly since: number;
  readonly after: string | null;
}

export const conversationsOf = (http: Http, asked: IntercomSearch) =>
  search(http, asked, { path: 'conversations', schema: Conversations });
export const ticketsOf = (http: Http, asked: IntercomSearch) =>
  search(http, asked, { path: 'tickets', schema: Tickets });

interface IntercomFound<Item> {
  readonly records: readonly Item[];
  readonly pages?:
    | { readonly next?: { readonly starting_after?: string | null | undefined } | null | undefined }
    | null
    | undefined;
}

function search<Item>(
  http: Http,
  { region, since, after }: IntercomSearch,
  {
    path,
    schema,
  }: { readonly path: keyof typeof PER_PAGE; readonly schema: z.ZodType<IntercomFound<Item>> },
) {
  return pages<readonly Item[], string>(after, async (place) => {
    const { value } = await http.json(
      {
        path: `${apiOf(region)}/${path}/search`,
        body: {
          // The document says of '>' that it means "greater (or equal)". Of the second before, it always includes `since`.
          query: { field: 'updated_at', operator: '>', value: since - 1 },
          sort: { field: 'updated_at', order: 'ascending' },
          pagination: {
            per_page: PER_PAGE[path],
            ...(place !== null && { starting_after: place }),
          },
        },
      },
      schema,
    );
    return { page: value.records, next: value.pages?.next?.starting_after };
  });
}
