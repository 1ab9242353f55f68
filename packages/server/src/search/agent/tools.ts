/**
 * The tools over the collection are the only way from the agent to the data. Each use finds out again what the
 * caller may see (scope.ts) and returns nothing else, whatever planned it: the filter comes from the caller alone,
 * and no tool accepts another one.
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

/** This many chunks on each side are neighbours of a chunk. */
const BESIDE = 1;
/** A read returns this many chunks of the record on each side. */
const AROUND = 10;

export interface Tools {
  /** Searches and ranks like the standard search. */
  search(query: string, by: Strategy, limit: number): Promise<Passage[]>;
  /** Returns the chunks of the passage's record around it, in order. */
  read(passage: Passage): Promise<store.ChunkRow[]>;
  /** Returns the chunks before and after this one in its record. */
  neighbours(passage: Passage): Promise<store.ChunkRow[]>;
  /** Returns how many chunks the caller may search. */
  count(): Promise<number>;
  /** Returns how many chunks the caller may see, and how many of them have each term. */
  statistics(terms: readonly string[]): ReturnType<RankingDeps['index']['statistics']>;
  /** Returns the passages that may still be shown, as they are now, and whether all are as they were. */
  confirm(passages: readonly Passage[]): Promise<{ items: Passage[]; isWhole: boolean }>;
  /** Returns the last answer of each source that is searched live. */
  live(): FederatedSource[];
  /** Tells whether some search compared nothing by meaning, because the embedder has failed. */
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
      // Live sources answer with what their account may see, but a person may not see all of that.
      if (scope.principals === null)
        asked ??= deps.federated?.ask({ connections: view.connections, query, filter }, signal);
      // A failure of the embedder does not end the search, because the passages that other searches have found by
      // words are worth an answer.
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
