/**
 * The tools are the agent's only way to the data. Each use is a look of its own: it reads again what the caller may see
 * (access.ts), and returns nothing else. The filter comes from the caller alone, and no tool accepts another one.
 */
import type { Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import type { IndexLook, Statistics } from '../../engines/ports.ts';
import type { Filter } from '../../model/filter.ts';
import { type Asker, readView, type SearchScope, stillVisible, visibleRows } from '../access.ts';
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
  /** Returns the chunks around the passage in its record, in order. */
  read(passage: Passage): Promise<store.ChunkRow[]>;
  /** Returns the chunks before and after this one in its record. */
  neighbours(passage: Passage): Promise<store.ChunkRow[]>;
  /** Returns how many chunks the filter and the access of the caller allow. */
  count(): Promise<number>;
  /** Returns the statistics of these terms; the filter does not affect them. */
  statistics(terms: readonly string[]): Promise<Statistics>;
  /** Returns the passages that may still be shown, as they are now. `isWhole` is true when none was dropped. */
  confirm(passages: readonly Passage[]): Promise<{ items: Passage[]; isWhole: boolean }>;
  /** Returns the last answer of each source that is searched live. */
  federated(): FederatedSource[];
  /** Returns true when some search compared nothing by meaning, because the embedder had failed. */
  isWithoutMeaning(): boolean;
}

export function createTools(
  deps: SearchDeps,
  asker: Asker & { readonly body: Pick<AgenticBody, 'filter'> },
  signal: AbortSignal,
): Tools {
  const { db, index } = deps;
  const filter: Filter = compileFilter(asker.body.filter);
  const scopeIn = async (tx: Tx): Promise<SearchScope> => (await readView(tx, asker)).scope(filter);
  const lastAnswers = new Map<string, FederatedSource>();
  let isWithoutMeaning = false;

  /** Asks the index one question. */
  const ask = <Found>(
    question: (index: IndexLook, scope: SearchScope) => Promise<Found>,
  ): Promise<Found> =>
    index.look(db, asker.collectionIds, {
      find: async (look, tx) => question(look, await scopeIn(tx)),
      read: async (found) => found,
    });

  async function ranked(body: SearchBody) {
    const { connections, scope } = await readView(db, asker);
    const { query } = body;
    // A live source returns everything that its account may see, but a person may be allowed to see less.
    const federated =
      scope(filter).principals === null
        ? deps.federated?.ask({ connections, query, filter }, signal)
        : undefined;
    // The promise may reject before it is awaited, and an unhandled rejection would end the thread.
    federated?.catch(() => {});
    const page = await rankedPage(deps, {
      asker,
      filter,
      body,
      signal,
      // When the embedder fails, the agent can still answer from passages that other searches find by words.
      mayLackMeaning: true,
      ...(federated && { federated }),
    });
    isWithoutMeaning ||= page.isWithoutMeaning;
    for (const source of (await federated)?.sources ?? [])
      lastAnswers.set(source.source_connection_id, source);
    return page.found;
  }

  function around(passage: Passage, distance: number): Promise<store.ChunkRow[]> {
    signal.throwIfAborted();
    const { collection_id, connection_id, entity_id, position } = passage.row;
    const span = {
      collectionId: collection_id,
      connectionId: connection_id,
      entityId: entity_id,
      from: position - distance,
      to: position + distance,
    };
    return inSnapshot(db, async (tx) => {
      const chunks = await store.chunksOfEntity(tx, span);
      const rows = await visibleRows(tx, await scopeIn(tx), chunks);
      return rows.sort((a, b) => a.position - b.position);
    });
  }

  return {
    async search(query, by, limit) {
      signal.throwIfAborted();
      const found = await ranked({ ...OPTIONS, query, retrieval_strategy: by, limit });
      return found.map(({ score, row }) => toPassage(row, score));
    },
    read: async (passage) => around(passage, AROUND),
    neighbours: async (passage) => around(passage, BESIDE),
    count: () => ask((look, scope) => look.count(scope)),
    statistics: (terms) => ask((look, scope) => look.statistics(terms, scope)),
    confirm: (passages) =>
      inSnapshot(db, async (tx) => stillVisible(tx, await scopeIn(tx), passages)),
    federated: () => [...lastAnswers.values()],
    isWithoutMeaning: () => isWithoutMeaning,
  };
}

/** Each search of the agent has these options; the filter is given beside them. */
const OPTIONS: Omit<SearchBody, 'query' | 'retrieval_strategy' | 'limit'> = {
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
