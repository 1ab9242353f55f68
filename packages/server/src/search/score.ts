/**
 * The scores of a band. Without reranking each chunk is looked at by itself; the reranker also asks
 * how near a chunk is to what the best ones are about. A band is the same whatever the page, so no
 * score depends on limit and offset.
 */
import type { Words } from '../engines/embedder/words.ts';
import { eachTerm } from '../model/terms.ts';
import { cosine, type Vector } from '../model/vector.ts';
import { type Located, lexical, locate, wordFeatures } from './features.ts';
import type { Question } from './question.ts';
import * as rank from './rank.ts';
import { idOf, vectorOf } from './read.ts';
import type { ChunkRow } from './store.ts';

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

/** In the order of the rows. */
export function plainScores(
  rows: readonly ChunkRow[],
  { question, vector }: Wanted,
  strategy: rank.Strategy,
): Score[] {
  return rows.map((row) => {
    const values = {
      meaning: meaningOf(vector, row),
      lexical: strategy === 'neural' ? 0 : lexical(question, locatedIn(row, question)),
    };
    return weighed(values, rank.FUSION[strategy]);
  });
}

/** So many, by all other features, are looked at more closely; none of the rest can pass them. */
const CLOSER = 100;
/** So many of the best say what the query is about. */
const BEST = 10;

/** In the order of the rows. */
export const rerankedScores = (
  rows: readonly ChunkRow[],
  wanted: Wanted,
  reranker: Reranker,
): Score[] =>
  rerankedFeatures(rows, wanted, reranker).map((features) => weighed(features, reranker.weights));

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

/** In the order of the rows. */
export function rerankedFeatures(
  rows: readonly ChunkRow[],
  wanted: Wanted,
  { words, weights }: Reranker,
): rank.Features[] {
  const features = rows.map((row) => ({
    ...wordFeatures(wanted.question, locatedIn(row, wanted.question)),
    meaning: meaningOf(wanted.vector, row),
    titleMeaning: 0,
    topic: 0,
  }));
  const alone = { ...weights, topic: 0 };
  const inOrder = (among: readonly number[]) =>
    rank.inOrder(
      among.map((i) => {
        const row = rows[i]!;
        return { i, row, n: row.n, id: idOf(row), score: rank.weighedMean(features[i]!, alone) };
      }),
    );
  const closer = inOrder([...rows.keys()]).slice(0, CLOSER);
  const meaningOfTitle = titles(wanted.query, words);
  for (const { i, row } of closer) features[i]!.titleMeaning = meaningOfTitle(titleOf(row));
  const topic = topicOf(inOrder(closer.map(({ i }) => i)).slice(0, BEST));
  for (const { i, row } of closer) features[i]!.topic = topic(row);
  return features;
}

/** The title that a chunk is indexed with. */
const titleOf = ({ name, heading }: ChunkRow): string => `${name}\n${heading ?? ''}`;

export const locatedIn = (row: ChunkRow, question: Question): Located =>
  locate(
    question,
    (visit) => eachTerm(titleOf(row), visit),
    (visit) => eachTerm(row.text, visit),
  );

const meaningOf = (vector: Vector | null, row: ChunkRow): number =>
  vector ? rank.meaningOf(cosine(vector, vectorOf(row))) : 0;

/** Many chunks share a title. */
function titles(query: string, words: Words): (title: string) => number {
  const asked = words.vector(query);
  const known = new Map<string, number>();
  return (title) => {
    let meaning = known.get(title);
    if (meaning === undefined) {
      meaning = rank.meaningOf(dot(asked, words.vector(title)));
      known.set(title, meaning);
    }
    return meaning;
  };
}

/**
 * What these are about, each by the square of its score. A chunk is as near to it as their mean
 * score at most: where the best are poor, to be like them is worth little.
 */
function topicOf(
  best: readonly { readonly row: ChunkRow; readonly score: number }[],
): (row: ChunkRow) => number {
  const total = best.reduce((sum, { score }) => sum + score ** 2, 0);
  const centre = new Float32Array(best[0]?.row.vector.length ?? 0);
  let mean = 0;
  for (const { row, score } of total > 0 ? best : []) {
    add(centre, vectorOf(row), score ** 2 / total);
    mean += score ** 3 / total;
  }
  return (row) => {
    const { values, scale } = vectorOf(row);
    return mean * rank.meaningOf(dot(centre, values) * scale);
  };
}

function add(sum: Float32Array, { values, scale }: Vector, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += values[i]! * scale * weight;
}

function dot(a: Float32Array, b: Float32Array | Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
