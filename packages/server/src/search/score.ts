/**
 * The scores of a band. Without reranking each chunk is looked at by itself; the reranker also asks
 * how near a chunk is to what the best ones are about. A band is the same whatever the page, so no
 * score depends on limit and offset.
 */
import type { Words } from '../engines/embedder/words.ts';
import { cosine, type Vector } from '../model/vector.ts';
import { type Digest, titleOf } from './digest.ts';
import { lexical, locator, wordFeatures } from './features.ts';
import type { Question } from './question.ts';
import * as rank from './rank.ts';
import { idOf } from './read.ts';
import type { ChunkHead } from './store.ts';

/** What is scored. */
export interface Candidate {
  readonly head: ChunkHead;
  readonly digest: Digest;
}

/** What a search looks for, in each form that a score needs. */
export interface Wanted {
  readonly query: string;
  readonly question: Question;
  /** Of the query; null when no score needs it. */
  readonly vector: Vector | null;
}

export interface Reranker {
  readonly words: Words;
  readonly weights: rank.RerankWeights;
}

/** What a score is made of. */
interface Part {
  readonly name: string;
  /** From 0 to 1. */
  readonly value: number;
  /** Those of a score sum to 1. */
  readonly weight: number;
}

export interface Score {
  /** The sum of each part's value times its weight. */
  readonly value: number;
  readonly parts: () => readonly Part[];
}

export const byModel = (value: number): Score => ({
  value,
  parts: () => [{ name: 'model', value, weight: 1 }],
});

/** In the order of the candidates. */
export function plainScores(
  candidates: readonly Candidate[],
  { question, vector }: Wanted,
  strategy: rank.Strategy,
): Score[] {
  const locate = locator(question);
  return candidates.map(({ digest }) => {
    const values = {
      meaning: meaningOf(vector, digest),
      lexical: strategy === 'neural' ? 0 : lexical(question, locate(digest)),
    };
    return weighed(values, rank.FUSION[strategy]);
  });
}

/** So many, by all other features, are looked at more closely; none of the rest can pass them. */
const CLOSER = 100;
/** So many of the best say what the query is about. */
const BEST = 10;

/** In the order of the candidates. */
export const rerankedScores = (
  candidates: readonly Candidate[],
  wanted: Wanted,
  reranker: Reranker,
): Score[] =>
  rerankedFeatures(candidates, wanted, reranker).map((features) =>
    weighed(features, reranker.weights),
  );

const weighed = <Name extends string>(
  values: Readonly<Record<Name, number>>,
  weights: Readonly<Record<Name, number>>,
): Score => ({
  value: rank.weighedMean(values, weights),
  parts: () => {
    const names = (Object.keys(weights) as Name[]).filter((name) => weights[name] > 0);
    const total = names.reduce((sum, name) => sum + weights[name], 0);
    return names.map((name) => ({ name, value: values[name], weight: weights[name] / total }));
  },
});

/** In the order of the candidates. */
export function rerankedFeatures(
  candidates: readonly Candidate[],
  wanted: Wanted,
  { words, weights }: Reranker,
): rank.Features[] {
  const locate = locator(wanted.question);
  const features = candidates.map(({ digest }) => ({
    ...wordFeatures(wanted.question, locate(digest)),
    meaning: meaningOf(wanted.vector, digest),
    titleMeaning: 0,
    topic: 0,
  }));
  const alone = { ...weights, topic: 0 };
  const inOrder = (among: readonly number[]) =>
    rank.inOrder(
      among.map((i) => {
        const { head, digest } = candidates[i]!;
        const score = rank.weighedMean(features[i]!, alone);
        return { i, head, digest, n: head.n, id: idOf(head), score };
      }),
    );
  const closer = inOrder([...candidates.keys()]).slice(0, CLOSER);
  const asked = words.vector(wanted.query);
  for (const { i, head } of closer)
    features[i]!.titleMeaning = rank.meaningOf(dot(asked, words.vector(titleOf(head))));
  const topic = topicOf(inOrder(closer.map(({ i }) => i)).slice(0, BEST));
  for (const { i, digest } of closer) features[i]!.topic = topic(digest.vector);
  return features;
}

const meaningOf = (vector: Vector | null, digest: Digest): number =>
  vector ? rank.meaningOf(cosine(vector, digest.vector)) : 0;

/**
 * What these are about, each by the square of its score. A chunk is as near to it as their mean
 * score at most: where the best are poor, to be like them is worth little.
 */
function topicOf(
  best: readonly { readonly digest: Digest; readonly score: number }[],
): (vector: Vector) => number {
  const total = best.reduce((sum, { score }) => sum + score ** 2, 0);
  const centre = new Float32Array(best[0]?.digest.vector.values.length ?? 0);
  let mean = 0;
  for (const { digest, score } of total > 0 ? best : []) {
    add(centre, digest.vector, score ** 2 / total);
    mean += score ** 3 / total;
  }
  return ({ values, scale }) => mean * rank.meaningOf(dot(centre, values) * scale);
}

function add(sum: Float32Array, { values, scale }: Vector, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += values[i]! * scale * weight;
}

function dot(a: Float32Array, b: Float32Array | Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
