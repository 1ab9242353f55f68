/**
 * What the built-in model knows of words. The reranker asks it whichever embedder fills the index: it
 * costs neither a request nor a stored vector.
 */
import { fnv1a } from '../../model/hash.ts';
import { Recent } from '../../model/recent.ts';
import { stems } from '../../model/terms.ts';
import { createMixer, lengthOf, type Mixture, mixed } from './builtin.ts';
import type { SharedModel } from './model-file.ts';
import { find } from './vocabulary.ts';

export interface Words {
  /** How much a stem says wherever it stands: about 1, less for "purpose" or "explain". */
  weight(stem: string): number;
  /**
   * How near other texts of a few words, such as titles, are to this one: the cosine. Numbers and words
   * that the model does not know count nothing, because what is near to them is so by accident; 0 of a
   * text without others.
   */
  likenessTo(text: string): (other: string) => number;
}

/** Bytes for what is known of texts that were asked for lately: many chunks share a title, many searches find it. */
const KEPT = 16 * 2 ** 20;
/** What a text takes beside itself and its words: measured. */
const OVERHEAD = 500;

/** Training has made the rows of words that say little short; only some of that helps the ranking. */
const DAMPING = 0.25;

export function createWords(model: SharedModel): Words {
  const { vocabulary, hashRows, dimensions } = model;
  let sum = 0;
  for (let row = 0; row < vocabulary.size; row++) sum += lengthOfRow(model, row);
  const usual = sum / vocabulary.size;
  const mixtureOf = createMixer(model);
  const kept = new Recent<string, Mixture>({
    budget: KEPT,
    sizeOf: ({ rows }, text) => OVERHEAD + text.length + rows.length * 16,
  });
  const means = (stem: string) => !/^\d+$/.test(stem) && find(vocabulary, stem, fnv1a(stem)) >= 0;

  /** Of a unit vector. */
  const unitMixture = (text: string): Mixture => {
    const known = kept.get(text);
    if (known) return known;
    const { rows, weights } = mixtureOf(stems(text).filter(means));
    const length = lengthOf(mixed(model, { rows, weights }));
    const unit = { rows, weights: weights.map((weight) => weight / length) };
    kept.set(text, unit);
    return unit;
  };

  return {
    weight(stem) {
      const hash = fnv1a(stem);
      const known = find(vocabulary, stem, hash);
      const row = known >= 0 ? known : vocabulary.size + (hash % hashRows);
      return (lengthOfRow(model, row) / usual) ** DAMPING;
    },

    likenessTo(text) {
      const vector = mixed(model, unitMixture(text));
      /** By row: titles of one search share many words. */
      const products = new Map<number, number>();
      const product = (row: number): number => {
        let sum = products.get(row);
        if (sum === undefined) {
          sum = 0;
          const start = row * dimensions;
          for (let i = 0; i < dimensions; i++) sum += vector[i]! * model.rows[start + i]!;
          products.set(row, sum);
        }
        return sum;
      };
      return (other) => {
        const { rows, weights } = unitMixture(other);
        let likeness = 0;
        for (let at = 0; at < rows.length; at++) likeness += weights[at]! * product(rows[at]!);
        return likeness;
      };
    },
  };
}

function lengthOfRow({ dimensions, rows, scales }: SharedModel, row: number): number {
  let square = 0;
  for (let i = row * dimensions; i < (row + 1) * dimensions; i++) square += rows[i]! * rows[i]!;
  return Math.sqrt(square) * scales[row]!;
}
