/**
 * The standard search. What goes in and comes out is plain data, because it runs in a thread of its
 * own. The filter and the asker's access go into every question to the index, access is checked once
 * more on the rows, and the answer quotes nothing but the results.
 */
import type { Db } from '../db/schema.ts';
import { everything, type Filter } from '../model/filter.ts';
import { quoteAnswer } from './answer.ts';
import type { Federated, FederatedAnswer, FederatedQuestion } from './federated/ask.ts';
import { compileFilter } from './filter.ts';
import { type Interpretation, interpret } from './interpret.ts';
import { type Deps, rankedPage, type Scope, STALE } from './page.ts';
import { toResult } from './read.ts';
import { DEGRADABLE, type SearchAnswer, type SearchBody } from './schema.ts';
import * as store from './store.ts';

export type { SearchAnswer } from './schema.ts';

export interface SearchRequest {
  readonly organizationId: string;
  readonly collection: { readonly id: string };
  /** On whose behalf, groups not yet expanded; null when access control does not apply. */
  readonly principals: readonly string[] | null;
  readonly body: SearchBody;
}

export interface Search {
  /** Throws the signal's reason soon after it aborts. */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer>;
}

export interface SearchDeps extends Deps {
  /** Absent where no source is searched live. */
  readonly federated?: Federated;
}

type Ask = (question: FederatedQuestion) => Promise<FederatedAnswer>;
const NOBODY: Promise<FederatedAnswer> = Promise.resolve({ rows: [], sources: [] });

/** Looks at a collection that changes faster than a search is over. */
const LOOKS = 3;

export const createSearch = (deps: SearchDeps): Search => ({
  async search(request, signal) {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    let asked: Promise<FederatedAnswer> | undefined;
    // A second look at the index is no reason to ask others again.
    const ask: Ask = (question) => {
      asked ??= deps.federated?.ask(question, stop) ?? NOBODY;
      return asked;
    };
    try {
      for (let look = 1; ; look++) {
        const how = { mayBeStale: look === LOOKS, ask, signal: stop };
        const answer = await searchOnce(deps, request, how);
        if (answer !== STALE) return answer;
      }
    } finally {
      ended.abort();
    }
  },
});

/** What one look finds, from the living connections on: one of them may have been deleted since the last. */
async function searchOnce(
  deps: Deps,
  request: SearchRequest,
  {
    ask,
    ...how
  }: { readonly mayBeStale: boolean; readonly ask: Ask; readonly signal: AbortSignal },
): Promise<SearchAnswer | typeof STALE> {
  const { body } = request;
  const place = { organizationId: request.organizationId, collectionId: request.collection.id };
  const connections = await store.liveConnections(deps.db, place);
  const understood = await understand(deps.db, body, connections);
  const query = { ...body, query: understood.query };
  const scope: Scope = {
    ...place,
    live: connections.map((connection) => connection.id),
    filter: bothOf(body.filter && compileFilter(body.filter), understood.filter),
    principals: await expandPrincipals(deps.db, request),
  };
  // A federated source answers with what its account may see, which a person may not.
  const federated =
    scope.principals === null
      ? ask({ connections, query: query.query, filter: scope.filter })
      : NOBODY;
  const [found, { sources }] = await Promise.all([
    connections.length === 0 ? [] : rankedPage(deps, scope, query, { ...how, federated }),
    federated,
  ]);
  if (found === STALE) return STALE;
  const results = found.map(({ row, score }) => toResult(row, score));
  return {
    results,
    ...(body.generate_answer && { completion: quoteAnswer(query.query, results) }),
    metadata: {
      degraded: DEGRADABLE.filter((option) => body[option]),
      ...(understood.filter && { interpreted_filter: { ...understood.filter } }),
      ...(sources.length > 0 && { federated: [...sources] }),
    },
  };
}

async function understand(
  db: Db,
  body: SearchBody,
  connections: readonly { id: string; short_name: string }[],
): Promise<Interpretation> {
  if (!body.interpret_filters || connections.length === 0)
    return { query: body.query, filter: null };
  const ids = connections.map(({ id }) => id);
  const sources = connections.map(({ short_name }) => short_name);
  const types = await store.entityTypes(db, ids);
  return interpret(body.query, { sources, types }, new Date());
}

function bothOf(asked: Filter | null, understood: Interpretation['filter']): Filter {
  const filters = [asked, understood && compileFilter(understood)].filter((one) => one !== null);
  return filters.length === 0 ? everything : { all: filters };
}

async function expandPrincipals(
  db: Db,
  { organizationId, principals }: SearchRequest,
): Promise<readonly string[] | null> {
  if (principals === null || principals.length === 0) return principals;
  return [...new Set([...principals, ...(await store.groupsOf(db, organizationId, principals))])];
}
