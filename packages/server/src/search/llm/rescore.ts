/**
 * Lets a model that reads query and text together order the best candidates, where such a model is configured.
 * The model changes only their order: filter and access have been applied to the candidates before.
 */
import type { Reranker } from '../../engines/ports.ts';
import { sha256 } from '../../model/hash.ts';
import { beginningOf, must } from '../../util.ts';
import type { ChunkRow } from '../store.ts';
import type { ModelCache } from './model-cache.ts';

/** A model gets this many characters of a text, because such models read only a few hundred words. */
const LONGEST_TEXT = 2_000;

/** The key is a text that the model has read, and the value its relevance in [0, 1]. */
export type Relevance = ReadonlyMap<string, number>;

/** Returns the text that a model reads of a chunk. */
export const textForModel = ({ name, heading, text }: ChunkRow): string =>
  beginningOf([name, heading, text].filter(Boolean).join('\n'), LONGEST_TEXT);

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
