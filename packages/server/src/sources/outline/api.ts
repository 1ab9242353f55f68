/**
 * Asks Outline. Every method is a POST, and every list has pages that begin at a number. Lists are asked for in the
 * order of creation, because new records then come at the end.
 */
import { z } from 'zod';
import type { Http } from '../kit/http.ts';
import { type NumberedPlace, numbered, numberedPages } from '../kit/numbered.ts';
import {
  COLLECTIONS,
  OutlineAuth,
  type OutlineCollection,
  OutlineDocument,
  type OutlineList,
} from './answer.ts';

/** Outline gives no more records at once. */
const PAGE = 100;
export const CONCURRENCY = 4;

const BY_CREATION = { sort: 'createdAt', direction: 'ASC' };
const NEWEST_FIRST = { sort: 'updatedAt', direction: 'DESC' };

interface Identified {
  readonly id: string;
}
const idOf = ({ id }: Identified): string => id;
const Pagination = z.object({ offset: z.number(), limit: z.number() });

const pageOf =
  <Item>(http: Http, { path, data }: OutlineList<Item>, body: object) =>
  async (offset: number) => {
    const asked = { path, body: { ...body, offset, limit: PAGE } };
    const { value } = await http.json(asked, z.object({ data, pagination: Pagination }));
    return {
      values: value.data,
      isLast: value.data.length < Math.min(PAGE, value.pagination.limit),
      startAt: value.pagination.offset,
    };
  };

/** Returns a whole list, which must fit into memory. */
export const allOf = <Item extends Identified>(
  http: Http,
  list: OutlineList<Item>,
): Promise<Item[]> => numbered(pageOf(http, list, BY_CREATION), idOf);

/** Returns the members of a collection, a document or a group. Outline takes no order for these lists. */
export const membersOf = <Item extends Identified>(
  http: Http,
  list: OutlineList<Item>,
  id: string,
): Promise<Item[]> => numbered(pageOf(http, list, { id }), idOf);

interface OutlineListOptions {
  readonly from?: NumberedPlace | null;
  readonly collectionId?: string;
  readonly documentId?: string;
}
/** Yields a list of any length page by page. */
export const listOf = <Item extends Identified>(
  http: Http,
  list: OutlineList<Item>,
  { from = null, ...body }: OutlineListOptions = {},
): ReturnType<typeof numberedPages<Item>> =>
  numberedPages(pageOf(http, list, { ...body, ...BY_CREATION }), idOf, from);

interface Changing extends Identified {
  readonly updatedAt: string;
}
/** Yields what has changed at this time or later, from the newest change on. Some may come twice. */
export async function* changedSince<Item extends Changing>(
  http: Http,
  list: OutlineList<Item>,
  since: string,
) {
  for await (const { items } of numberedPages(pageOf(http, list, NEWEST_FIRST), idOf))
    for (const item of items) {
      // Outline writes all times in one form, in UTC, so their order is that of the texts.
      if (item.updatedAt < since) return;
      yield item;
    }
}

/** Returns the time of the newest change in the list, or '' when the list is empty. */
export async function newestIn(http: Http, { path, data }: OutlineList<Changing>): Promise<string> {
  const { value } = await http.json(
    { path, body: { ...NEWEST_FIRST, limit: 1 } },
    z.object({ data }),
  );
  return value.data[0]?.updatedAt ?? '';
}

export const authOf = async (http: Http) =>
  (await http.json({ path: 'auth.info', method: 'POST' }, OutlineAuth)).value.data;

export const collectionsOf = (http: Http): Promise<OutlineCollection[]> => allOf(http, COLLECTIONS);

export const documentOf = async (http: Http, id: string): Promise<OutlineDocument> => {
  const answer = z.object({ data: OutlineDocument });
  return (await http.json({ path: 'documents.info', body: { id } }, answer)).value.data;
};
