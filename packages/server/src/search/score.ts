/**
 * Scores a band. Without reranking, each chunk is scored by itself; the reranker also measures how near a chunk is
 * to the best chunks of the band. A band is the same for every page, so no score depends on limit and offset.
 */
import type { Words } from '../engines/embedder/words.ts';
import { titleOf } from '../model/title.ts';
import { cosine, type Vector } from '../model/vector.ts';
import { must } from '../util.ts';
import type { Digest } from './digest.ts';
import { createWordScorer } from './features.ts';
import { type Meaning, plainMeaning } from './meaning.ts';
import type { Question } from './question.ts';
import * as rank from './rank.ts';
import { idOf } from './read.ts';
import type { ChunkHead } from './store.ts';

/** A candidate is a chunk to be scored. */
export interface Candidate {
  readonly head: ChunkHead;
  readonly digest: Digest;
}

/** Says what a search looks for, in each form that a score needs. */
export interface Wanted {
  readonly query: string;
  readonly question: Question;
  /** This is the vector of the query; it is null when no score needs it. */
  readonly vector: Vector | null;
  readonly meaning: Meaning;
}

export interface RerankOptions {
  readonly words: Words;
  readonly weights: rank.RerankWeights;
}

/** A score is the sum of its parts, each of which is a value times a weight. */
interface ScorePart {
  readonly name: string;
  /** The value is a number from 0 to 1. */
  readonly value: number;
  /** The weights of all parts of a score sum to 1. */
  readonly weight: number;
}

/** These are the scores of many chunks, which are weighted means, and the columns that the means are made of. */
export interface ChunkScores {
  readonly values: ArrayLike<number>;
  /** The values are numbers from 0 to 1. */
  readonly columns: Readonly<Record<string, ArrayLike<number>>>;
  readonly weights: Readonly<Record<string, number>>;
}

/** Returns the parts of the score in this row. */
export function partsOf({ columns, weights }: ChunkScores, row: number): ScorePart[] {
  const counting = Object.entries(weights).filter(([, weight]) => weight > 0);
  const total = counting.reduce((sum, [, weight]) => sum + weight, 0);
  return counting.map(([name, weight]) => ({
    name,
    value: must(columns[name]?.[row]),
    weight: weight / total,
  }));
}

export const modelScores = (values: readonly number[]): ChunkScores => ({
  values,
  columns: { model: values },
  weights: { model: 1 },
});

/**
 * No chunk has many words of a long query, so the best BM25 of a band is a small share of what the query could reach,
 * while the other features do not depend on the length of the query. Where even the best chunk of the band has less
 * than this, the BM25 of all chunks is raised in proportion until the best one has it (docs/quality.md).
 */
const REACH = 0.3;

/** Returns the scores in the order of the candidates. */
export function plainScores(
  candidates: readonly Candidate[],
  wanted: Wanted,
  weights: rank.FusionWeights,
): ChunkScores {
  const words = createWordScorer(wanted.question);
  const columns = rank.columns(['lexical', 'meaning'], candidates.length);
  for (const [row, { digest }] of candidates.entries()) {
    columns.meaning[row] = meaningOf(wanted, digest);
    columns.lexical[row] = weights.lexical === 0 ? 0 : words.lexical(digest);
  }
  // A search by words alone has only one scale.
  if (weights.meaning > 0) lift(columns.lexical);
  return { values: rank.weightedMeans(columns, weights), columns, weights };
}

/**
 * Only this many of the best candidates get `titleMeaning` and `topic`. Both features can only raise a score, so a
 * candidate without them never gets ahead of a candidate with them.
 */
const CLOSER = 100;
/** The topic is computed from this many of the best candidates. */
const BEST = 10;
/**
 * Only this many of the best candidates get `related`, because it costs the most. With three times as many, nDCG@10 of
 * no judged set changes by more than .002.
 */
const RELATED = 20;

/** Returns the scores in the order of the candidates. */
export function rerankedScores(
  candidates: readonly Candidate[],
  wanted: Wanted,
  { words, weights }: RerankOptions,
): ChunkScores {
  const columns = rerankedFeatures(candidates, wanted, { words, weights });
  return { values: rank.weightedMeans(columns, weights), columns, weights };
}

/** Returns the features in the order of the candidates. */
export function rerankedFeatures(
  candidates: readonly Candidate[],
  wanted: Wanted,
  { words, weights }: RerankOptions,
): rank.Columns<keyof rank.Features> {
  const scorer = createWordScorer(wanted.question);
  const columns = rank.columns(rank.FEATURES, candidates.length);
  for (const [row, { digest }] of candidates.entries()) {
    scorer.features(digest, columns, row);
    columns.meaning[row] = meaningOf(wanted, digest);
  }
  const alone = { ...weights, topic: 0 };
  const best = (rows: readonly number[], count: number) => {
    const scores = rank.weightedMeans(columns, alone);
    const byScore = (a: number, b: number) =>
      scores[b]! - scores[a]! || byPlace(candidates[a]!, candidates[b]!);
    const inOrder = rows.toSorted(byScore).slice(0, count);
    return inOrder.map((row) => ({ row, ...candidates[row]!, score: scores[row]! }));
  };
  lift(columns.lexical);
  const closer = best([...candidates.keys()], CLOSER);
  const likeness = words.likenessTo(wanted.query);
  for (const { row, head, digest } of closer)
    columns.titleMeaning[row] = plainMeaning(likeness(titleOf(head, digest.isTitled)));
  const rows = closer.map(({ row }) => row);
  relate(best(rows, RELATED));
  const topic = topicOf(best(rows, BEST), wanted.meaning);
  for (const { row, digest } of closer) columns.topic[row] = topic(digest.vector);
  return columns;

  function relate(some: readonly { readonly row: number; readonly digest: Digest }[]): void {
    const [reading] = wanted.question.readings;
    if (!reading) return;
    const asked = { terms: [...reading.slots.keys()], weights: reading.weights };
    const related = words.related(
      asked,
      some.map(({ digest }) => digest.terms),
    );
    for (const [i, { row }] of some.entries()) columns.related[row] = related[i]!;
  }
}

function lift(lexical: Float64Array): void {
  const best = lexical.reduce((most, value) => Math.max(most, value), 0);
  if (best === 0 || best >= REACH) return;
  for (let row = 0; row < lexical.length; row++) lexical[row]! *= REACH / best;
}

const byPlace = (a: Candidate, b: Candidate) =>
  rank.compareBytes(idOf(a.head), idOf(b.head)) || a.head.n - b.head.n;

const meaningOf = ({ vector, meaning }: Wanted, digest: Digest): number =>
  vector ? meaning(cosine(vector, digest.vector)) : 0;

/**
 * Returns a function that measures how near a chunk is to these candidates, each of which counts by the square of its
 * score. The result is at most their mean score, so a likeness to poor candidates counts little.
 */
function topicOf(
  best: readonly { readonly digest: Digest; readonly score: number }[],
  meaning: Meaning,
): (vector: Vector) => number {
  const total = best.reduce((sum, { score }) => sum + score ** 2, 0);
  const centre = new Float32Array(best[0]?.digest.vector.values.length ?? 0);
  let mean = 0;
  for (const { digest, score } of total > 0 ? best : []) {
    add(centre, digest.vector, score ** 2 / total);
    mean += score ** 3 / total;
  }
  return ({ values, scale }) => mean * meaning(dot(centre, values) * scale);
}

function add(sum: Float32Array, { values, scale }: Vector, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += values[i]! * scale * weight;
}

function dot(a: Float32Array, b: Float32Array | Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
