/** The kinds of requests of the clients, and how often each of them comes. */
import { mulberry32 } from '../corpus.ts';
import type { LoadRequest } from './request.ts';

export const COLLECTION = 'bench';
const MODERN = '2026-07-28';
const ENTITIES_PER_PUSH = 5;
const WORDS_PER_ENTITY = 150;

/** Out of a hundred requests so many are of this kind. */
const SHARES = { search: 40, push: 15, read: 20, list: 15, tool: 10 } as const;
export type Kind = keyof typeof SHARES;
export const KINDS = Object.keys(SHARES) as Kind[];
const DEALT = KINDS.flatMap((kind) => Array.from({ length: SHARES[kind] }, () => kind));

export interface LoadTarget {
  readonly queries: readonly string[];
  /** Pushed texts consist of these words. */
  readonly words: readonly string[];
  /** Records that are read. */
  readonly records: readonly string[];
  /** Connections that take pushes. */
  readonly connections: readonly string[];
}

export interface PlannedRequest extends LoadRequest {
  readonly kind: Kind;
  /** The push has these entities. Other requests have none. */
  readonly entityIds: readonly string[];
}

/** Returns a function that plans the next request of a client. Equal seeds plan equal requests. */
export function planner(target: LoadTarget, { seed, key }: { seed: number; key: string }) {
  const random = mulberry32(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  let pushes = 0;

  const search = (query: string) => ({
    method: 'POST' as const,
    path: `/v1/collections/${COLLECTION}/search`,
    body: { query, expand_query: false, generate_answer: false },
  });

  function push() {
    const entityIds = Array.from({ length: ENTITIES_PER_PUSH }, (_, i) => `${seed}-${pushes}-${i}`);
    pushes++;
    const text = () => Array.from({ length: WORDS_PER_ENTITY }, () => one(target.words)).join(' ');
    return {
      method: 'POST' as const,
      path: `/v1/source-connections/${one(target.connections)}/entities`,
      headers: { 'idempotency-key': `${seed}-${pushes}` },
      body: { entities: entityIds.map((id) => ({ entity_id: id, name: id, text: text() })) },
      entityIds,
    };
  }

  const tool = (query: string) => ({
    method: 'POST' as const,
    path: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'x-collection-readable-id': COLLECTION,
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': `search-${COLLECTION}`,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: `search-${COLLECTION}`,
        arguments: { query, limit: 10 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  });

  const get = (path: string) => ({ method: 'GET' as const, path });
  const base = `/v1/collections/${COLLECTION}/contents`;
  const plans: Record<Kind, () => Partial<PlannedRequest> & LoadRequest> = {
    search: () => search(one(target.queries)),
    push,
    read: () => get(`${base}/read?id=${one(target.records)}`),
    list: () =>
      one([
        () => get(`${base}/list?limit=50`),
        () => get('/v1/source-connections?limit=50'),
        () => get('/v1/sync/jobs?limit=50'),
      ])(),
    tool: () => tool(one(target.queries)),
  };
  return (): PlannedRequest => {
    const kind = one(DEALT);
    return { key, entityIds: [], ...plans[kind](), kind };
  };
}
