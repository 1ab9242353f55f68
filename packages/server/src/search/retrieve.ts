/** Gets the candidates of each arm, and what is needed to score them. */
import type { Embedder, IndexQuery } from '../engines/ports.ts';
import { AppError } from '../errors.ts';
import { filterMatches } from '../model/filter-matches.ts';
import { terms } from '../model/terms.ts';
import { quantize } from '../model/vector.ts';
import { readingsOf, variantsOf } from './expand.ts';
import { toChunkRows, withLengthOf } from './federated/merge.ts';
import type { How, RankingDeps, SearchScope } from './page.ts';
import { createQuestion, termsOf } from './question.ts';
import * as rank from './rank.ts';
import { toMatchable } from './read.ts';
import type { SearchBody } from './schema.ts';
import type { Wanted } from './score.ts';
import type { ChunkRow } from './store.ts';

export interface Arm {
  readonly name: 'words' | 'meaning';
  /** These are chunk numbers, best first. */
  readonly numbers: readonly number[];
}

export interface Retrieved {
  readonly bands: readonly (readonly number[])[];
  readonly arms: readonly Arm[];
  readonly wanted: Wanted;
  /** No index holds these rows. */
  readonly live: readonly ChunkRow[];
  readonly isWithoutMeaning: boolean;
  /** This is the version of the collection before the arms were asked. */
  readonly version: number;
}

export async function retrieve(
  { index, embedder, words }: RankingDeps,
  scope: SearchScope,
  body: SearchBody,
  { federated, mayLackMeaning = false, variations = [], signal }: How,
): Promise<Retrieved> {
  const { collectionId, live, filter, principals } = scope;
  const usesWords = body.retrieval_strategy !== 'neural';
  const usesMeaning = body.retrieval_strategy !== 'keyword';
  const variants = variantsOf(body.query, body.expand_query && usesWords);
  const others = variations.map(terms);
  const asked = termsOf([variants.asked, ...others]);
  const statistics = await index.statistics(collectionId, asked, { live, principals });
  const own = readingsOf(variants, statistics);
  const readings = [...own, ...others];
  const wordsWanted = termsOf(readings);
  const needsMeaning = usesMeaning || body.rerank;
  const texts = [body.query, ...(usesMeaning ? variations : [])];
  const mayFail = usesWords || mayLackMeaning;
  const embedded = needsMeaning ? await embedQueries(embedder, texts, mayFail, signal) : [];
  const [vector = null] = embedded;
  const window = rank.windowFor(body.recency_bias);
  const enough = rank.depthFor(body.offset + body.limit, window);
  const counted = rank.depthFor(statistics.chunks, window);
  /**
   * The statistics counted the chunks a moment ago. New chunks must not push out those that existed then, so the
   * depth grows as long as an arm has more.
   */
  async function ask(arm: IndexQuery['arm']): Promise<readonly number[]> {
    for (let depth = Math.min(enough, counted); ; depth = Math.min(enough, 2 * depth)) {
      const numbers = await index.candidates(collectionId, {
        arm,
        filter,
        live,
        principals,
        depth,
      });
      if (numbers.length < depth || depth === enough) return numbers;
    }
  }
  const arms: Arm[] = [];
  if (usesWords && wordsWanted.length > 0)
    arms.push({ name: 'words', numbers: await ask({ terms: wordsWanted }) });
  if (usesMeaning)
    for (const one of embedded) arms.push({ name: 'meaning', numbers: await ask({ vector: one }) });
  const answered = (await federated)?.rows ?? [];
  // The sources were asked in the first look: since then, a connection may have been deleted, or a model may have
  // understood the query in another way.
  const rows = answered.filter(
    (row) => live.includes(row.connection_id) && filterMatches(toMatchable(row), filter),
  );
  const found = await toChunkRows(rows, embedder, vector !== null, signal);
  const bands = rank.bands(arms.map(({ numbers }) => numbers));
  return {
    // Live rows need a band even where the index has found nothing.
    bands: bands.length === 0 && found.length > 0 ? [[]] : bands,
    arms,
    wanted: {
      query: body.query,
      question: createQuestion(readings, {
        statistics: withLengthOf(statistics, found),
        asked,
        weightOf: words.weight,
        own: own.length,
      }),
      vector: vector && quantize(vector),
    },
    live: found,
    isWithoutMeaning: needsMeaning && vector === null,
    version: statistics.version,
  };
}

/** Returns no vectors when the embedder has failed and `mayFail` is true, because there are words to search by. */
async function embedQueries(
  embedder: Embedder,
  texts: readonly string[],
  mayFail: boolean,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  try {
    return await embedder.embed(texts, 'query', signal);
  } catch (error) {
    if (mayFail && error instanceof AppError && error.status === 503) return [];
    throw error;
  }
}
