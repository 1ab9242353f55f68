/**
 * Gets from models and sources what a look needs. They may take seconds, and a look waits for nothing but the
 * database, so they are asked before it.
 */
import type { Embedder } from '../engines/ports.ts';
import { AppError } from '../errors.ts';
import type { FederatedAnswer } from './federated/ask.ts';
import { toChunkRows } from './federated/merge.ts';
import type { SearchBody } from './schema.ts';
import type { ChunkRow } from './store.ts';

export interface LookInputs {
  /** These are other ways to write the query. */
  readonly variations: readonly string[];
  /** These are the vectors of the query and, where the meaning finds chunks, of its variations. */
  readonly vectors: readonly Float32Array[];
  /** No index holds these rows. */
  readonly live: readonly ChunkRow[];
  readonly isWithoutMeaning: boolean;
}

/** These options of a ranking say how it gets what the database does not have. */
export interface RankingOptions {
  /** Sources that are searched live have found these rows for the same filter; without it, no source is asked. */
  readonly federated?: Promise<Pick<FederatedAnswer, 'rows'>>;
  /** A search by meaning alone finds nothing when the embedder fails, instead of failing, too. */
  readonly mayLackMeaning?: boolean;
  /** These are other ways to write the query. */
  readonly variations?: readonly string[];
  readonly signal: AbortSignal;
}

export const usesWords = (body: SearchBody): boolean => body.retrieval_strategy !== 'neural';
export const usesMeaning = (body: SearchBody): boolean => body.retrieval_strategy !== 'keyword';

export async function prepare(
  embedder: Embedder,
  body: SearchBody,
  { federated, mayLackMeaning = false, variations = [], signal }: RankingOptions,
): Promise<LookInputs> {
  const needsMeaning = usesMeaning(body) || body.rerank;
  const texts = [body.query, ...(usesMeaning(body) ? variations : [])];
  const mayFail = usesWords(body) || mayLackMeaning;
  const vectors = needsMeaning ? await embedQueries(embedder, texts, { mayFail, signal }) : [];
  const rows = (await federated)?.rows ?? [];
  const live = await toChunkRows(rows, embedder, { comparesVectors: vectors.length > 0, signal });
  return { variations, vectors, live, isWithoutMeaning: needsMeaning && vectors.length === 0 };
}

/** Returns no vectors when the embedder has failed and `mayFail` is true, because there are words to search by. */
async function embedQueries(
  embedder: Embedder,
  texts: readonly string[],
  { mayFail, signal }: { readonly mayFail: boolean; readonly signal: AbortSignal },
): Promise<readonly Float32Array[]> {
  try {
    return await embedder.embed(texts, 'query', signal);
  } catch (error) {
    if (mayFail && error instanceof AppError && error.status === 503) return [];
    throw error;
  }
}
