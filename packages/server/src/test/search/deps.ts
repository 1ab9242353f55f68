/** Returns the dependencies of a search. Those that the caller leaves out are the defaults of the service. */
import pino from 'pino';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { createChunkCache } from '../../search/chunk-cache.ts';
import { createModelCache } from '../../search/llm/model-cache.ts';
import { createWeightsFor } from '../../search/own-weights.ts';
import type { RankingDeps } from '../../search/ranking.ts';

const words = createWords(loadModel());
const weightsFor = createWeightsFor(pino({ level: 'silent' }));

export const searchDeps = ({
  kept = createModelCache(),
  ...deps
}: Pick<RankingDeps, 'db' | 'index' | 'embedder'> & Partial<RankingDeps>): RankingDeps => ({
  words,
  weightsFor,
  llm: null,
  reranker: null,
  kept,
  chunks: createChunkCache(),
  ...deps,
});
