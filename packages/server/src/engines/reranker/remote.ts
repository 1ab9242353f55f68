/**
 * Gets the relevance of texts from a reranker over HTTP: Cohere, Voyage, and servers with the protocol of Jina (vLLM,
 * LiteLLM, …).
 */
import { z } from 'zod';
import { nameOf, type RemoteModel } from '../../providers.ts';
import { chunked } from '../../util.ts';
import type { Reranker } from '../ports.ts';
import { RemoteFailure } from '../remote/failure.ts';
import { type ModelRequest, post } from '../remote/post.ts';
import { retrying } from '../remote/retry.ts';

/** The deadline is short because a user waits for the search. */
const DEADLINE_MS = 5000;
/** A request has this many texts at most; vendors accept 1,000. */
const TEXTS_PER_REQUEST = 500;

type RemoteScores = readonly { readonly index: number; readonly relevance_score: number }[];

const Score = z.object({ index: z.int().min(0), relevance_score: z.number() });
const Results = z
  .object({ results: z.array(Score) })
  .transform(({ results }): RemoteScores => results);
const VoyageResults = z
  .object({ data: z.array(Score) })
  .transform(({ data }): RemoteScores => data);

export function createRemoteReranker(
  remote: RemoteModel,
  { deadlineMs = DEADLINE_MS } = {},
): Reranker {
  const name = nameOf(remote);
  return {
    model: name,
    async rerank(query, texts, signal) {
      const deadline = Date.now() + deadlineMs;
      const scores: number[] = [];
      for (const some of chunked(texts, TEXTS_PER_REQUEST)) {
        const request = requestOf(remote, query, some);
        const found = await retrying((ms) => post(remote, request, { ms, signal }), {
          deadline,
          signal,
        });
        scores.push(...inOrder(found, some.length));
      }
      // Some servers return the raw outputs of the model. The logistic function turns them into numbers from 0 to 1.
      return scores.every((score) => score >= 0 && score <= 1) ? scores : scores.map(logistic);
    },
  };
}

function requestOf(
  { provider, model }: RemoteModel,
  query: string,
  documents: readonly string[],
): ModelRequest<RemoteScores> {
  const body = { model, query, documents };
  return provider === 'voyage'
    ? { path: '/rerank', body: { ...body, truncation: true }, schema: VoyageResults }
    : { path: '/rerank', body: { ...body, top_n: documents.length }, schema: Results };
}

/**
 * Returns one score for each text. Throws when a score is missing or comes twice, or belongs to a text that was
 * not sent.
 */
function inOrder(scores: RemoteScores, count: number): number[] {
  const byIndex = new Map(scores.map(({ index, relevance_score }) => [index, relevance_score]));
  const ordered = Array.from({ length: count }, (_, index) => byIndex.get(index));
  if (scores.length !== count || ordered.some((score) => score === undefined))
    throw new RemoteFailure('invalid', 'its scores are not those of the texts');
  return ordered as number[];
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
