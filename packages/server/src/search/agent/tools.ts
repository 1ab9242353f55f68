/**
 * The tools over the collection are the only way from the agent to the data. Each use is a look of its own, finds
 * out again what the caller may see (scope.ts) and returns nothing else, whatever planned it: the filter comes from the caller alone,
 * and no tool accepts another one.
 */
import type { Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import type { IndexLook, Statistics } from '../../engines/ports.ts';
import type { Filter } from '../../model/filter.ts';
import { type Asker, openView, type SearchScope, stillVisible, visibleRows } from '../access.ts';
import { compileFilter } from '../filter.ts';
import { rankedPage } from '../page.ts';
import { type Passage, toPassage } from '../passage.ts';
import type { Strategy } from '../rank.ts';
import type { FederatedSource, SearchBody } from '../schema.ts';
import type { SearchDeps } from '../service.ts';
import * as store from '../store.ts';
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
  statistics(terms: readonly string[]): Promise<Statistics>;
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
  const scopeIn = async (tx: Tx): Promise<SearchScope> => (await openView(tx, asker)).scope(filter);
  const live = new Map<string, FederatedSource>();
  let isWithoutMeaning = false;

  /** Asks the index one question. */
  const ask = <Found>(
    question: (index: IndexLook, scope: SearchScope) => Promise<Found>,
  ): Promise<Found> =>
    index.look(db, asker.collection.id, {
      find: async (look, tx) => question(look, await scopeIn(tx)),
      read: async (found) => found,
    });

  async function ranked(body: SearchBody) {
    const { connections, scope } = await openView(db, asker);
    const { query } = body;
    // Live sources answer with what their account may see, but a person may not see all of that.
    const federated =
      scope(filter).principals === null
        ? deps.federated?.ask({ connections, query, filter }, signal)
        : undefined;
    // It may fail before it is awaited, and that must not count as unhandled and end the thread.
    federated?.catch(() => {});
    const page = await rankedPage(deps, {
      asker,
      filter,
      body,
      signal,
      // A failure of the embedder does not end the search, because the passages that other searches have found by
      // words are worth an answer.
      mayLackMeaning: true,
      ...(federated && { federated }),
    });
    isWithoutMeaning ||= page.isWithoutMeaning;
    for (const source of (await federated)?.sources ?? [])
      live.set(source.source_connection_id, source);
    return page.found;
  }

  function around(passage: Passage, chunks: number): Promise<store.ChunkRow[]> {
    signal.throwIfAborted();
    const { connection_id, entity_id, position } = passage.row;
    const span = {
      connectionId: connection_id,
      entityId: entity_id,
      from: position - chunks,
      to: position + chunks,
    };
    return inSnapshot(db, async (tx) => {
      const numbers = await store.chunksOfEntity(tx, span);
      const rows = await visibleRows(tx, await scopeIn(tx), numbers);
      return rows.sort((a, b) => a.position - b.position);
    });
  }

  return {
    async search(query, by, limit) {
      signal.throwIfAborted();
      const found = await ranked({ ...WHOLE, query, retrieval_strategy: by, limit });
      return found.map(({ score, row }) => toPassage(row, score));
    },
    read: async (passage) => around(passage, AROUND),
    neighbours: async (passage) => around(passage, BESIDE),
    count: () => ask((look, scope) => look.count(scope)),
    statistics: (terms) => ask((look, scope) => look.statistics(terms, scope)),
    confirm: (passages) =>
      inSnapshot(db, async (tx) => stillVisible(tx, await scopeIn(tx), passages)),
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
