/** Asks the service by its typed client. */
import {
  createQuarryClient,
  bodyOf as given,
  pageOf,
  type QuarryAnswer,
  QuarryError,
  type QuarrySchemas,
} from 'quarry-client';
import { noteServerTime } from '../lib/clock.ts';
import { currentOrganization } from '../lib/organization.ts';
import { noteAnswer, noteSilence } from '../lib/reach.ts';
import { refusalOf, Unreachable } from '../lib/refusal.ts';

export type Schemas = QuarrySchemas;

/** Questions are asked again by the library of queries, so the client does not ask again by itself. */
export const client = createQuarryClient({ url: '/', fetch: send, retries: 0 });

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

/** Returns the body of an answer, or throws a Refusal. */
export const bodyOf = <Data>(asked: Promise<QuarryAnswer<Data>>): Promise<Data> =>
  given(asked).catch(refuse);

/** Returns the items of a list, and how many there are in all. Throws a Refusal. */
export const listOf = <Item>(asked: Promise<QuarryAnswer<readonly Item[]>>) =>
  pageOf(asked).catch(refuse);

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

function refuse(error: unknown): never {
  throw error instanceof QuarryError ? refusalOf(error) : error;
}
