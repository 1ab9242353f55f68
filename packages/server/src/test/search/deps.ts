/** What a search needs besides a database, as it is without any configuration. */
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { createChunkCache } from '../../search/chunk-cache.ts';
import { createKept } from '../../search/llm/kept.ts';
import type { Deps } from '../../search/page.ts';

const words = createWords(loadModel());

export const searchDeps = ({
  kept = createKept(),
  ...deps
}: Pick<Deps, 'db' | 'index' | 'embedder'> & Partial<Deps>): Deps => ({
  words,
  llm: null,
  reranker: null,
  kept,
  chunks: createChunkCache(),
  ...deps,
});
