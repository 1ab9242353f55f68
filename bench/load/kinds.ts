/** The kinds of requests of the clients, and how often each of them comes. */
import { mulberry32 } from '../corpus.ts';
import type { LoadRequest } from './request.ts';

export const COLLECTION = 'bench';
const MODERN = '2026-07-28';
const ENTITIES_PER_PUSH = 5;
const WORDS_PER_ENTITY = 150;

/** `ask` and `watch` read server-sent events to their end, `ask` those of an agentic search and `watch` those of a job. */
export const KINDS = ['search', 'push', 'read', 'list', 'tool', 'delete', 'ask', 'watch'] as const;
export type Kind = (typeof KINDS)[number];

/** Out of a hundred requests so many are of each kind. */
export type Shares = Readonly<Partial<Record<Kind, number>>>;
/** Programs that ask without a pause. */
export const BUSY: Shares = { search: 40, push: 15, read: 20, list: 15, tool: 10 };
/** People and assistants at work. */
export const DAY: Shares = {
  ...{ search: 40, push: 10, read: 15, list: 10, tool: 14 },
  ...{ delete: 3, ask: 4, watch: 4 },
};

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
  /** The request deletes these entities. */
  readonly deletedIds: readonly string[];
  /** Is called with the text of a successful answer. */
  readonly learn: (text: string) => void;
}

/** An acknowledged push of this client. */
interface Pushed {
  readonly connection: string;
  readonly job: string;
  readonly entityIds: readonly string[];
}

/** Returns a function that plans the next request of a client. Equal seeds plan equal requests. */
export function planner(
  target: LoadTarget,
  { seed, key, shares }: { seed: number; key: string; shares: Shares },
) {
  const random = mulberry32(seed);
  const dealt = KINDS.flatMap((kind) => Array.from({ length: shares[kind] ?? 0 }, () => kind));
  const acknowledged: Pushed[] = [];
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  let pushes = 0;

  const search = (query: string) => ({
    method: 'POST' as const,
    path: `/v1/collections/${COLLECTION}/search`,
    body: { query, expand_query: false, generate_answer: false },
  });

  const ask = (query: string) => ({
    method: 'POST' as const,
    path: `/v1/collections/${COLLECTION}/agentic-search/stream`,
    body: { query, mode: 'fast' },
  });

  function push() {
    const entityIds = Array.from({ length: ENTITIES_PER_PUSH }, (_, i) => `${seed}-${pushes}-${i}`);
    pushes++;
    const connection = one(target.connections);
    const text = () => Array.from({ length: WORDS_PER_ENTITY }, () => one(target.words)).join(' ');
    return {
      method: 'POST' as const,
      path: `/v1/source-connections/${connection}/entities`,
      headers: { 'idempotency-key': `${seed}-${pushes}` },
      body: { entities: entityIds.map((id) => ({ entity_id: id, name: id, text: text() })) },
      entityIds,
      learn: (answer: string) => {
        acknowledged.push({ connection, job: JSON.parse(answer).id, entityIds });
      },
    };
  }

  /** Deletes what this client pushed first. A client that has pushed nothing yet pushes. */
  function remove() {
    const [pushed] = acknowledged.splice(0, 1);
    if (!pushed) return push();
    return {
      method: 'POST' as const,
      path: `/v1/source-connections/${pushed.connection}/entities`,
      body: { delete: pushed.entityIds },
      deletedIds: pushed.entityIds,
    };
  }

  /** Watches the newest push of this client. */
  function watch() {
    const pushed = acknowledged.at(-1);
    return pushed
      ? get(`/v1/source-connections/${pushed.connection}/jobs/${pushed.job}/stream`)
      : push();
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
    delete: remove,
    ask: () => ask(one(target.queries)),
    watch,
  };
  return (): PlannedRequest => {
    const kind = one(dealt);
    return { key, entityIds: [], deletedIds: [], learn: () => {}, ...plans[kind](), kind };
  };
}
