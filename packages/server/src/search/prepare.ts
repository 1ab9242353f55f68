/**
 * Gets what a look needs from models and sources. Their answers may take seconds, and a look waits for nothing but the
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
  /**
   * The first vector is that of the query; those of its variations follow when chunks are searched by meaning. The list
   * is empty when no vector is needed, or when the embedder has failed.
   */
  readonly vectors: readonly Float32Array[];
  /** Sources that are searched live found these rows; the index does not have them. */
  readonly liveRows: readonly ChunkRow[];
  /** This is true when vectors are needed but the embedder has failed. */
  readonly isWithoutMeaning: boolean;
}

/** These options give a ranking what the database does not have. */
export interface RankingOptions {
  /** Sources that are searched live find these rows for the same filter; by default, no source is asked. */
  readonly federated?: Promise<Pick<FederatedAnswer, 'rows'>>;
  /** When the embedder fails, a search by meaning alone returns nothing instead of an error. */
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
  const comparesVectors = vectors.length > 0;
  const liveRows = await toChunkRows(rows, embedder, { comparesVectors, signal });
  return { variations, vectors, liveRows, isWithoutMeaning: needsMeaning && !comparesVectors };
}

/** Returns no vectors when the embedder fails and `mayFail` is true; otherwise throws the error of the embedder. */
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
