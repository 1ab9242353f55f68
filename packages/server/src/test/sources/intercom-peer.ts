/** Serves a workspace of Intercom on this machine, as its document says, and checks every exchange by it. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { openContract } from '../contracts/open-contract.ts';
import {
  type CloudPeer,
  json,
  openCloudPeer,
  type PeerAnswer,
  type PeerRequest,
} from './cloud-peer.ts';
import {
  articleOf,
  collectionOf,
  conversationOf,
  ticketOf,
  wholeConversationOf,
} from './intercom-shapes.ts';
import { BOB, type IntercomWorld } from './intercom-world.ts';

export const INTERCOM_TOKEN = 'intercom-token-0123456789';

/** The service sorts, and finds, only by the time of a change here. */
const Search = z.strictObject({
  query: z.strictObject({
    field: z.literal('updated_at'),
    operator: z.literal('>'),
    value: z.int(),
  }),
  sort: z.strictObject({ field: z.literal('updated_at'), order: z.literal('ascending') }),
  pagination: z.strictObject({
    per_page: z.int().min(1).max(150),
    starting_after: z.string().optional(),
  }),
});

/** The service sends these with every answer. */
const LIMITS = {
  'x-ratelimit-limit': '1000',
  'x-ratelimit-remaining': '900',
  'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 7200),
};

export const refusedBy = (
  status: number,
  code: string,
  message: string,
  headers = {},
): PeerAnswer =>
  json(status, { type: 'error.list', errors: [{ code, message }] }, { ...LIMITS, ...headers });
export const UNAUTHORIZED = refusedBy(401, 'unauthorized', 'Access Token Invalid');

export interface IntercomHouse {
  /** The service refuses requests whose path begins with one of these segments. */
  readonly forbidden: Set<string>;
  /** A page has at most so many records, also when a client asks for more. */
  largestPage: number;
  /** The lists of the help center say that they have so many pages; null is the truth. */
  totalPages: number | null;
}

export function openIntercomPeer(world: IntercomWorld, house: IntercomHouse): Promise<CloudPeer> {
  function answer({ method, headers, url, body }: PeerRequest): PeerAnswer {
    assert.equal(headers['intercom-version'], '2.15');
    if (headers.authorization !== `Bearer ${INTERCOM_TOKEN}`) return UNAUTHORIZED;
    const [, part = '', id = ''] = url.pathname.split('/');
    if (house.forbidden.has(part))
      return refusedBy(403, 'api_plan_restricted', 'Active subscription needed.');
    switch (`${method} ${part}`) {
      case 'GET me':
        return ok({
          type: 'admin',
          id: BOB.id,
          email: 'bob@example.com',
          app: { type: 'app', id_code: 'abc', name: 'Acme' },
        });
      case 'GET admins':
        return ok({
          type: 'admin.list',
          admins: [{ type: 'admin', id: BOB.id, name: BOB.name, email: 'bob@example.com' }],
        });
      case 'POST conversations':
        return found(body, world.conversations, (page) => ({
          type: 'conversation.list',
          conversations: page.map(conversationOf),
        }));
      case 'POST tickets':
        return found(body, world.tickets, (page) => ({
          type: 'ticket.list',
          tickets: page.map(ticketOf),
        }));
      case 'GET conversations':
        return one(world.conversations.get(id), wholeConversationOf);
      case 'GET help_center':
        return numbered(url, world.collections, collectionOf);
      default:
        return id === ''
          ? numbered(url, world.articles, articleOf)
          : one(world.articles.get(id), articleOf);
    }
  }

  const ok = (value: unknown) =>
    json(200, value, { date: new Date(world.now() * 1000).toUTCString(), ...LIMITS });

  function one<Kept>(record: Kept | undefined, shape: (record: Kept) => object): PeerAnswer {
    return record ? ok(shape(record)) : refusedBy(404, 'not_found', 'Resource Not Found');
  }

  function found<Kept extends { readonly id: string; readonly updated_at: number }>(
    body: string,
    records: ReadonlyMap<string, Kept>,
    shape: (page: readonly Kept[]) => object,
  ): PeerAnswer {
    const { query, pagination } = Search.parse(JSON.parse(body));
    const after = pagination.starting_after ?? '';
    const left = [...records.values()]
      .filter((one) => one.updated_at > query.value && placeOf(one) > after)
      .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    const per_page = Math.min(pagination.per_page, house.largestPage);
    const page = left.slice(0, per_page);
    const last = page.at(-1);
    return ok({
      ...shape(page),
      total_count: records.size,
      pages: {
        type: 'pages',
        page: 1,
        per_page,
        ...(left.length > per_page &&
          last && { next: { per_page, starting_after: placeOf(last) } }),
      },
    });
  }

  function numbered<Kept extends { readonly id: string; readonly updated_at: number }>(
    url: URL,
    records: ReadonlyMap<string, Kept>,
    shape: (record: Kept) => object,
  ): PeerAnswer {
    const page = Number(url.searchParams.get('page') ?? '1');
    assert.ok(page >= 1);
    const per_page = Math.min(Number(url.searchParams.get('per_page')), house.largestPage);
    const newest = [...records.values()].toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
    return ok({
      type: 'list',
      data: newest.slice((page - 1) * per_page, page * per_page).map(shape),
      total_count: newest.length,
      pages: {
        type: 'pages',
        page,
        per_page,
        total_pages: house.totalPages ?? Math.max(1, Math.ceil(newest.length / per_page)),
      },
    });
  }

  return openCloudPeer((request) => contract.checked(request, answer(request)), {
    place: ['page', 'starting_after'],
  });
}

/** The place of a record in a search is made of its time and its id, so it does not shift. */
const placeOf = ({ id, updated_at }: { readonly id: string; readonly updated_at: number }) =>
  `${updated_at} ${id.padStart(9, '0')}`;

const contract = openContract('intercom');
