/**
 * Simulates an embedding model for a judged set: its cosines lie around a mean with a spread, as those of real models
 * do, and by itself it ranks so much better than BM25 as is asked for.
 *
 * All vectors share one component, which gives the mean. The rest of a query's vector is chance. The rest of a text's
 * vector is chance as well, moved towards the queries that its document answers. What it knows does not depend on
 * words, so a real model of the same strength adds less to a search by words.
 */
import { embeddedText, split } from '../../documents/split.ts';
import { createBm25 } from '../../eval/bm25.ts';
import type { JudgedQuery, JudgedSet } from '../../eval/judged.ts';
import { mean, qualityOf } from '../../eval/metrics.ts';
import { createRandom } from '../../eval/random.ts';
import { must } from '../../util.ts';

export interface Cosines {
  readonly mean: number;
  readonly spread: number;
}

export interface SimulatedEncoder {
  readonly dimensions: number;
  /** The encoder alone reaches so many times the nDCG@10 of BM25, which is less than asked for if no encoder can do it. */
  readonly ratio: number;
  /** A text that is neither in the set nor a query of it gets a vector of chance. */
  vectorOf(text: string): number[];
}

type Vector = readonly number[];

interface EmbeddedText {
  readonly text: string;
  readonly documents: ReadonlySet<string>;
}

const SEED = 777;
/** A text is moved towards its queries by at most this length, where chance has length 1. */
const MOST_MOVED = 6;
/** Each step halves the range in which the length lies. */
const STEPS = 9;

export function simulateEncoder(
  set: JudgedSet,
  cosines: Cosines,
  wantedRatio: number,
): SimulatedEncoder {
  // The cosines of chance have this spread in so many dimensions, once the common component has shrunk them.
  const free = Math.round(((1 - cosines.mean) / cosines.spread) ** 2);
  const random = createRandom(SEED);
  const chance = (): Vector => unit(Array.from({ length: free }, () => normal(random)));
  const asked = new Map<string, Vector>();
  for (const { text } of set.queries) if (!asked.has(text)) asked.set(text, chance());
  const queries = set.queries.map((query) => ({ query, vector: must(asked.get(query.text)) }));
  const texts = textsOf(set).map((embedded) => ({
    ...embedded,
    noise: chance(),
    answered: unit(
      sumOf(
        queries.filter(({ query }) => isAnsweredBy(query, embedded)).map(({ vector }) => vector),
        free,
      ),
    ),
  }));
  const vectorsAt = (moved: number) =>
    texts.map(({ noise, answered }) => unit(noise.map((x, i) => x + moved * must(answered[i]))));

  const bm25 = createBm25(set.documents);
  const baseline = mean(
    set.queries.map(({ text, relevant }) => qualityOf(bm25(text, 10), relevant).ndcg10),
  );
  const ratioAt = (moved: number): number => {
    const vectors = vectorsAt(moved);
    const found = queries.map(({ query, vector }) => {
      const products = vectors.map((one) => product(one, vector));
      const order = [...products.keys()].sort((a, b) => must(products[b]) - must(products[a]));
      const ranked = new Set(order.slice(0, 50).flatMap((i) => [...must(texts[i]).documents]));
      return qualityOf([...ranked], query.relevant).ndcg10;
    });
    return mean(found) / baseline;
  };
  let low = 0;
  let high = MOST_MOVED;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (ratioAt(middle) >= wantedRatio) high = middle;
    else low = middle;
  }

  const common = Math.sqrt(cosines.mean);
  const full = (rest: Vector) => [common, ...rest.map((x) => Math.sqrt(1 - cosines.mean) * x)];
  const vectors = vectorsAt(high);
  const known = new Map<string, number[]>([
    ...texts.map(({ text }, i) => [text, full(must(vectors[i]))] as const),
    ...[...asked].map(([text, vector]) => [text, full(vector)] as const),
  ]);
  return {
    dimensions: free + 1,
    ratio: ratioAt(high),
    vectorOf(text) {
      const vector = known.get(text) ?? full(chance());
      known.set(text, vector);
      return vector;
    },
  };
}

/** Returns the texts that a sync embeds, each once. */
function textsOf({ documents }: JudgedSet): EmbeddedText[] {
  const owners = new Map<string, Set<string>>();
  for (const { id, title, text } of documents)
    for (const piece of split({ name: title, text })) {
      const embedded = embeddedText(title, piece);
      owners.set(embedded, (owners.get(embedded) ?? new Set()).add(id));
    }
  return [...owners].map(([text, ids]) => ({ text, documents: ids }));
}

const isAnsweredBy = ({ relevant }: JudgedQuery, { documents }: EmbeddedText): boolean =>
  [...documents].some((id) => relevant.has(id));

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const product = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

const sumOf = (vectors: readonly Vector[], length: number): Vector =>
  Array.from({ length }, (_, i) => vectors.reduce((sum, vector) => sum + must(vector[i]), 0));

/** A vector of zeros stays as it is. */
function unit(vector: Vector): Vector {
  const length = Math.sqrt(product(vector, vector));
  return length === 0 ? vector : vector.map((x) => x / length);
}
