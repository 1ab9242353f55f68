/**
 * Lets a model that reads query and text together order the best candidates, where such a model is configured.
 * Only their order changes: the candidates have been found, filtered and allowed before.
 */
import type { Reranker } from '../../engines/ports.ts';
import { sha256 } from '../../model/hash.ts';
import { beginningOf } from '../../util.ts';
import type { ChunkRow } from '../store.ts';
import type { ModelCache } from './model-cache.ts';

/** A model gets this many characters of one text, because such models read some hundred words. */
const MOST_TEXT = 2_000;

/**
 * Returns the relevance of each text in [0, 1], or undefined when the model has given none. Throws the reason of
 * the signal.
 */
export async function rescore(
  reranker: Reranker,
  kept: ModelCache,
  query: string,
  items: readonly { readonly row: ChunkRow }[],
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  if (items.length === 0) return [];
  const texts = items.map(({ row }) =>
    beginningOf([row.name, row.heading, row.text].filter(Boolean).join('\n'), MOST_TEXT),
  );
  const key = sha256(JSON.stringify([reranker.model, query, texts]));
  const known = kept.get(key);
  if (known) return known.value as readonly number[];
  try {
    const scores = await reranker.rerank(query, texts, signal);
    kept.set(key, { value: scores });
    return scores;
  } catch {
    signal.throwIfAborted();
    // Whatever is wrong with the model, the built-in order stays, and the answer reports this.
    return undefined;
  }
}
