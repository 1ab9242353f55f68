/** Asks the service. The paths and shapes are those of its OpenAPI document, from which `document.ts` is made. */
import createClient from 'openapi-fetch';
import { noteServerTime } from '../lib/clock.ts';
import { currentOrganization } from '../lib/organization.ts';
import { noteAnswer, noteSilence } from '../lib/reach.ts';
import { refusalOf, Unreachable } from '../lib/refusal.ts';
import type { components, paths } from './document.ts';

export type Schemas = components['schemas'];

export const client = createClient<paths>({ baseUrl: '/', fetch: send });

/** Sends the request, and notes whether the service has answered. Throws Unreachable when it has not. */
async function send(request: Request): Promise<Response> {
  const organization = currentOrganization();
  if (organization) request.headers.set('x-organization-id', organization);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    noteSilence();
    throw new Unreachable();
  }
  noteAnswer();
  noteServerTime(response.headers.get('date'));
  return response;
}

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of an answer, or throws a Refusal. */
export const bodyOf = async <Data>(asked: Promise<Answered<Data>>): Promise<Data> =>
  accepted(await asked);

/** Returns the items of a list, and how many there are in all. */
export async function listOf<Item>(
  asked: Promise<Answered<readonly Item[]>>,
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const answered = await asked;
  const items = accepted(answered);
  const total = Number(answered.response.headers.get('x-total-count') ?? items.length);
  return { items, total };
}

/** Lists are read in parts of this size, up to the number that a page can show. */
const PART = 1000;
const MOST_SHOWN = 10_000;

interface Part {
  readonly skip: number;
  readonly limit: number;
}

/** Reads a list part by part. */
export async function wholeList<Item>(
  read: (part: Part) => Promise<{ readonly items: readonly Item[]; readonly total: number }>,
) {
  const items: Item[] = [];
  for (;;) {
    const part = await read({ skip: items.length, limit: PART });
    items.push(...part.items);
    const isWhole = items.length >= part.total || part.items.length === 0;
    if (isWhole || items.length >= MOST_SHOWN) return { items, total: part.total };
  }
}

function accepted<Data>({ data, error, response }: Answered<Data>): Data {
  if (!response.ok) throw refusalOf(response, error);
  return data as Data;
}
