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
import { type Deps, rankedPage, STALE } from './page.ts';
import { toResult } from './read.ts';
import { DEGRADABLE, type SearchAnswer, type SearchBody } from './schema.ts';
import { type Asker, openView, untilFresh, type View } from './scope.ts';
import * as store from './store.ts';

export type { SearchAnswer } from './schema.ts';

export interface SearchRequest extends Asker {
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
      return await untilFresh((mayBeStale) =>
        searchOnce(deps, request, { mayBeStale, ask, signal: stop }),
      );
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
  const { connections, scope } = await openView(deps.db, request);
  const understood = await understand(deps.db, body, connections);
  const query = { ...body, query: understood.query };
  const filter = bothOf(body.filter && compileFilter(body.filter), understood.filter);
  const { principals, ...place } = scope(filter);
  // A federated source answers with what its account may see, which a person may not.
  const federated = principals === null ? ask({ place, query: query.query, filter }) : NOBODY;
  const [found, { sources }] = await Promise.all([
    connections.length === 0 ? [] : rankedPage(deps, scope(filter), query, { ...how, federated }),
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
  connections: View['connections'],
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
