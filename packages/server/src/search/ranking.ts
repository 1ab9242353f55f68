/** These are the shapes of a ranking: what it needs, what it is asked for, and its page. */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Words } from '../engines/embedder/words.ts';
import type { Llm } from '../engines/llm/llm.ts';
import type { Embedder, Reranker, SearchIndex } from '../engines/ports.ts';
import type { Filter } from '../model/filter.ts';
import type { Asker } from './access.ts';
import type { ChunkCache } from './chunk-cache.ts';
import type { ModelCache } from './llm/model-cache.ts';
import type { WeightsFor } from './own-weights.ts';
import type { RankingOptions } from './prepare.ts';
import type * as rank from './rank.ts';
import type { Arm } from './retrieve.ts';
import type { SearchBody } from './schema.ts';
import type { ChunkScores, Wanted } from './score.ts';
import type * as store from './store.ts';

export interface RankingDeps {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly words: Words;
  /** The built-in methods replace the language model when this is null. */
  readonly llm: Llm | null;
  /** The built-in reranker is used when this is null. */
  readonly reranker: Reranker | null;
  /** The cache holds earlier answers of models. */
  readonly kept: ModelCache;
  /** The cache holds chunks that were scored recently. */
  readonly chunks: ChunkCache;
  /** Returns the weights of the built-in reranker; an evaluation tries weights of its own. */
  readonly weightsFor: WeightsFor;
}

export interface Ranked extends rank.Scored {
  readonly row: store.ChunkHead;
  /** The score comes from row `at` of these scores, before the result's place in the list changed it. */
  readonly scores: ChunkScores;
  readonly at: number;
}

export interface RankedRow extends Ranked {
  readonly row: store.ChunkRow;
}

export interface ResultPage {
  readonly found: readonly rank.PlacedItem<RankedRow>[];
  readonly arms: readonly Arm[];
  readonly wanted: Wanted;
  /** The list holds the principals of the asker and their groups. */
  readonly principals: readonly string[] | null;
  /** This is true when a reranking model has ordered the best results. */
  readonly isRescored: boolean;
  /** This is true when the embedder has failed, so that nothing was compared by meaning. */
  readonly isWithoutMeaning: boolean;
}

/** Says what a ranking is asked for, and by whom. */
export interface RankingRequest extends RankingOptions {
  readonly asker: Asker;
  readonly filter: Filter;
  readonly body: SearchBody;
}
