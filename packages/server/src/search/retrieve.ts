/** Gets the candidates of each arm from the index, and what is needed to score them. */
import type { Words } from '../engines/embedder/words.ts';
import type { Embedder, IndexLook, IndexQuery } from '../engines/ports.ts';
import { terms } from '../model/terms.ts';
import { quantize } from '../model/vector.ts';
import type { SearchScope } from './access.ts';
import { readingsOf, variantsOf } from './expand.ts';
import { withAverageLength } from './federated/merge.ts';
import { meaningIn, plainMeaning, USUAL_RANGE } from './meaning.ts';
import { type LookInputs, usesMeaning, usesWords } from './prepare.ts';
import { createQuestion, termsOf } from './question.ts';
import * as rank from './rank.ts';
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
  /** Sources that are searched live found these rows; the index does not have them. */
  readonly liveRows: readonly ChunkRow[];
  /** Returns the version of the collection with this chunk that the index has read. */
  readonly versionOf: IndexLook['versionOf'];
  readonly collectionOf: IndexLook['collectionOf'];
}

export async function retrieve(
  index: IndexLook,
  scope: SearchScope,
  inputs: {
    readonly body: SearchBody;
    readonly prepared: LookInputs;
    readonly words: Words;
    readonly embedder: Pick<Embedder, 'isBuiltIn'>;
  },
): Promise<Retrieved> {
  const { body, prepared, words, embedder } = inputs;
  const { live, filter, principals } = scope;
  const variants = variantsOf(body.query, body.expand_query && usesWords(body));
  const others = prepared.variations.map(terms);
  const countedTerms = termsOf([variants.countedTerms, ...others]);
  const statistics = await index.statistics(countedTerms, { live, principals });
  const own = readingsOf(variants, statistics);
  const readings = [...own, ...others];
  const wordsWanted = termsOf(readings);
  const [vector = null] = prepared.vectors;
  const bandsPerWindow = rank.bandsPerWindow(body.recency_bias);
  const depth = Math.min(
    rank.depthFor(body.offset + body.limit, bandsPerWindow),
    rank.depthFor(statistics.chunks, bandsPerWindow),
  );
  const ask = (arm: IndexQuery['arm']) =>
    index.candidates({ arm, filter, live, principals, depth });
  const arms: Arm[] = [];
  if (usesWords(body) && wordsWanted.length > 0)
    arms.push({ name: 'words', numbers: await ask({ terms: wordsWanted }) });
  if (usesMeaning(body))
    for (const one of prepared.vectors)
      arms.push({ name: 'meaning', numbers: await ask({ vector: one }) });
  // A connection may have been deleted since its source was asked.
  const liveRows = prepared.liveRows.filter((row) => live.includes(row.connection_id));
  const bands = rank.bands(arms.map(({ numbers }) => numbers));
  return {
    // Live rows need a band even where the index has found nothing.
    bands: bands.length === 0 && liveRows.length > 0 ? [[]] : bands,
    arms,
    wanted: {
      query: body.query,
      question: createQuestion(readings, {
        statistics: withAverageLength(statistics, liveRows),
        countedTerms,
        weightOf: words.weight,
        ownCount: own.length,
      }),
      vector: vector && quantize(vector),
      meaning: embedder.isBuiltIn ? plainMeaning : meaningIn(index.cosines ?? USUAL_RANGE),
    },
    liveRows,
    versionOf: index.versionOf,
    collectionOf: index.collectionOf,
  };
}
