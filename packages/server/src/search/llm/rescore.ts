/**
 * Lets a model that reads query and text together order the best candidates, where such a model is configured.
 * Only their order changes: the candidates have been found, filtered and allowed before.
 */
import type { Reranker } from '../../engines/ports.ts';
import { sha256 } from '../../model/hash.ts';
import { beginningOf, must } from '../../util.ts';
import type { ChunkRow } from '../store.ts';
import type { ModelCache } from './model-cache.ts';

/** A model gets this many characters of one text, because such models read some hundred words. */
const MOST_TEXT = 2_000;

/** The relevance is in [0, 1], by the text that the model has read. */
export type Relevance = ReadonlyMap<string, number>;

/** Returns the text that a model reads of a chunk. */
export const textForModel = ({ name, heading, text }: ChunkRow): string =>
  beginningOf([name, heading, text].filter(Boolean).join('\n'), MOST_TEXT);

/** Returns undefined when the model has given no relevance. Throws the reason of the signal. */
export async function rescore(
  { reranker, kept }: { readonly reranker: Reranker; readonly kept: ModelCache },
  { query, rows }: { readonly query: string; readonly rows: readonly ChunkRow[] },
  signal: AbortSignal,
): Promise<Relevance | undefined> {
  if (rows.length === 0) return new Map();
  const texts = rows.map(textForModel);
  const key = sha256(JSON.stringify([reranker.model, query, texts]));
  const known = kept.get(key);
  if (known) return known.value as Relevance;
  try {
    const scores = await reranker.rerank(query, texts, signal);
    const relevance = new Map(texts.map((text, i) => [text, must(scores[i])]));
    kept.set(key, { value: relevance });
    return relevance;
  } catch {
    signal.throwIfAborted();
    // Whatever is wrong with the model, the built-in order stays, and the answer reports this.
    return undefined;
  }
}
