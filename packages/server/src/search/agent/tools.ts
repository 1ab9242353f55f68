/**
 * The tools over the collection, and the only way from the agent to the data. Each use finds out anew
 * what the caller may see (scope.ts) and gives nothing else, whoever planned it: the filter comes from
 * the caller alone and no tool takes another.
 */

import type { Filter } from '../../model/filter.ts';
import { compileFilter } from '../filter.ts';
import { type Deps, rankedPage, type Scope } from '../page.ts';
import type { Strategy } from '../rank.ts';
import type { SearchBody } from '../schema.ts';
import { type Asker, openView, untilFresh } from '../scope.ts';
import * as store from '../store.ts';
import { confirmed, visibleRows } from '../visible.ts';
import { type Passage, toPassage } from './pool.ts';
import type { AgenticBody } from './schema.ts';

/** Chunks on each side that are beside one. */
const BESIDE = 1;
/** Chunks on each side that one reading of a record gives. */
const AROUND = 10;

export interface Tools {
  /** As the standard search ranks them. */
  search(query: string, by: Strategy, limit: number): Promise<Passage[]>;
  /** Chunks of the record that this one is of, in order. */
  read(passage: Passage): Promise<store.ChunkRow[]>;
  /** Chunks before and after this one, in its record. */
  neighbours(passage: Passage): Promise<store.ChunkRow[]>;
  /** How many chunks the caller may search. */
  count(): Promise<number>;
  /** In how many chunks of the collection each term is, and how many there are. */
  statistics(terms: readonly string[]): ReturnType<Deps['index']['statistics']>;
  /** Those that may still be shown, as they are now. */
  confirm(passages: readonly Passage[]): Promise<Passage[]>;
}

export function createTools(
  deps: Deps,
  asker: Asker & { readonly body: Pick<AgenticBody, 'filter'> },
  signal: AbortSignal,
): Tools {
  const { db, index } = deps;
  const filter: Filter = compileFilter(asker.body.filter);
  const look = async (): Promise<Scope> => (await openView(db, asker)).scope(filter);

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
      const body = { ...WHOLE, query, retrieval_strategy: by, limit };
      const found = await untilFresh(async (mayBeStale) =>
        rankedPage(deps, await look(), body, { mayBeStale, signal }),
      );
      return found.found.map(({ score, row }) => toPassage(row, score));
    },
    read: (passage) => around(passage, AROUND),
    neighbours: (passage) => around(passage, BESIDE),
    count: async () => index.count(asker.collection.id, await look()),
    statistics: (terms) => index.statistics(asker.collection.id, terms),
    confirm: async (passages) => confirmed(db, await look(), passages),
  };
}

/** A standard search without a page, a filter or an answer of its own. */
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
