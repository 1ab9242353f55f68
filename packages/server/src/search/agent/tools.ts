/**
 * The tools over the collection are the only way from the agent to the data. Each use finds out again what
 * the caller may see (scope.ts) and gives nothing else, whoever planned it: the filter comes from the caller
 * alone and no tool takes another.
 */
import type { Filter } from '../../model/filter.ts';
import type { FederatedAnswer } from '../federated/ask.ts';
import { compileFilter } from '../filter.ts';
import { type RankingDeps, rankedPage, type SearchScope } from '../page.ts';
import { type Passage, toPassage } from '../passage.ts';
import type { Strategy } from '../rank.ts';
import type { FederatedSource, SearchBody } from '../schema.ts';
import { type Asker, openView, untilFresh } from '../scope.ts';
import type { SearchDeps } from '../service.ts';
import * as store from '../store.ts';
import { confirmed, visibleRows } from '../visible.ts';
import type { AgenticBody } from './schema.ts';

/** So many chunks on each side count as being beside one. */
const BESIDE = 1;
/** One reading of a record gives so many chunks on each side. */
const AROUND = 10;

export interface Tools {
  /** Searches, and ranks like the standard search. */
  search(query: string, by: Strategy, limit: number): Promise<Passage[]>;
  /** Gives the chunks of the record that this passage belongs to, in order. */
  read(passage: Passage): Promise<store.ChunkRow[]>;
  /** Gives the chunks before and after this one, in its record. */
  neighbours(passage: Passage): Promise<store.ChunkRow[]>;
  /** Says how many chunks the caller may search. */
  count(): Promise<number>;
  /** Says in how many of the chunks that the caller may see each term is, and how many of them there are. */
  statistics(terms: readonly string[]): ReturnType<RankingDeps['index']['statistics']>;
  /** Gives the passages that may still be shown, as they are now, and whether all are as they were. */
  confirm(passages: readonly Passage[]): Promise<{ items: Passage[]; isWhole: boolean }>;
  /** Says what each source that is searched live did when it was asked last. */
  live(): FederatedSource[];
  /** Says whether some search compared nothing by meaning, because the embedder has failed. */
  isWithoutMeaning(): boolean;
}

export function createTools(
  deps: SearchDeps,
  asker: Asker & { readonly body: Pick<AgenticBody, 'filter'> },
  signal: AbortSignal,
): Tools {
  const { db, index } = deps;
  const filter: Filter = compileFilter(asker.body.filter);
  const look = async (): Promise<SearchScope> => (await openView(db, asker)).scope(filter);
  const live = new Map<string, FederatedSource>();
  let isWithoutMeaning = false;

  async function ranked(body: SearchBody) {
    let asked: Promise<FederatedAnswer> | undefined;
    const page = await untilFresh(async (mayBeStale) => {
      const view = await openView(db, asker);
      const scope = view.scope(filter);
      const { query } = body;
      // Live sources answer with what their account may see, which a person may not.
      if (scope.principals === null)
        asked ??= deps.federated?.ask({ connections: view.connections, query, filter }, signal);
      // An embedder that fails does not end the search, because what other searches have found by words is
      // worth an answer.
      const how = { mayBeStale, mayLackMeaning: true, signal, ...(asked && { federated: asked }) };
      const [found] = await Promise.all([rankedPage(deps, scope, body, how), asked]);
      return found;
    });
    isWithoutMeaning ||= page.isWithoutMeaning;
    for (const source of (await asked)?.sources ?? [])
      live.set(source.source_connection_id, source);
    return page.found;
  }

  async function around(passage: Passage, chunks: number): Promise<store.ChunkRow[]> {
    signal.throwIfAborted();
    const scope = await look();
    const { connection_id, entity_id, position } = passage.row;
    const span = { from: position - chunks, to: position + chunks };
    const numbers = await store.chunksOfEntity(db, connection_id, entity_id, span);
    const rows = await visibleRows(db, scope, numbers);
    return rows.sort((a, b) => a.position - b.position);
  }

  return {
    async search(query, by, limit) {
      signal.throwIfAborted();
      const found = await ranked({ ...WHOLE, query, retrieval_strategy: by, limit });
      return found.map(({ score, row }) => toPassage(row, score));
    },
    read: (passage) => around(passage, AROUND),
    neighbours: (passage) => around(passage, BESIDE),
    count: async () => index.count(asker.collection.id, await look()),
    statistics: async (terms) => index.statistics(asker.collection.id, terms, await look()),
    confirm: async (passages) => confirmed(db, await look(), passages),
    live: () => [...live.values()],
    isWithoutMeaning: () => isWithoutMeaning,
  };
}

/** This is a standard search without a page, a filter or an answer of its own. */
const WHOLE: Omit<SearchBody, 'query' | 'retrieval_strategy' | 'limit'> = {
  filter: null,
  offset: 0,
  expand_query: true,
  interpret_filters: false,
  rerank: true,
  generate_answer: false,
  score_threshold: 0,
  recency_bias: 0,
  explain: false,
};
