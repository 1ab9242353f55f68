/** Reads the collections of Microsoft Graph page by page (https://learn.microsoft.com/graph/paging). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import type { CloudRequest } from '../kit/outgoing.ts';
import { BadRequest } from './refusal.ts';

/** Graph sends null in place of many properties that its document calls required. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A value that is only shown is left out when it has another form than Graph promises. */
export const text = optional(z.string()).catch(undefined);
export const number = optional(z.coerce.number()).catch(undefined);

/** An id stays one part of a path, whatever characters it has. */
export const encoded = (id: string): string => encodeURIComponent(id.toWellFormed());

/** Makes a path of texts and ids. */
export const at = (path: TemplateStringsArray, ...ids: readonly string[]): string =>
  `v1.0/${String.raw({ raw: path }, ...ids.map(encoded))}`;

/**
 * Throws a SourceError 'transient' when Graph has forgotten the link to a page. Links are not stored, so the next attempt
 * lists from the start.
 */
export async function* collection<Item>(
  http: Http,
  request: CloudRequest,
  item: z.ZodType<Item>,
): AsyncGenerator<Item, void, void> {
  const Page = z.object({ value: z.array(item), '@odata.nextLink': optional(z.string()) });
  const { headers = {} } = request;
  const get = async (link: string | null) => {
    const asked = link === null ? request : { path: link, headers };
    const { value } = await http.json(asked, Page).catch((error: unknown) => {
      throw link !== null && isForgotten(error)
        ? new SourceError('transient', error.message, { cause: error })
        : error;
    });
    return { page: value.value, next: value['@odata.nextLink'] };
  };
  for await (const { page } of pages(null, get)) yield* page;
}

const isForgotten = (error: unknown): error is SourceError =>
  error instanceof BadRequest || (error instanceof SourceError && error.kind === 'outdated');

export async function wholeCollection<Item>(
  http: Http,
  request: CloudRequest,
  item: z.ZodType<Item>,
): Promise<Item[]> {
  const all: Item[] = [];
  for await (const one of collection(http, request, item)) all.push(one);
  return all;
}

/** This many parts are asked for at the same time. */
const AT_ONCE = 8;

/** Returns the results in the order of the items. After an error, no further items are begun. */
export async function eachAtOnce<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE)
    results.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(ask))));
  return results;
}
