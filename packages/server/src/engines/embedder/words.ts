/**
 * Says what the built-in model knows about words. The reranker asks it, whichever embedder fills the index: that
 * costs neither a request nor a stored vector.
 */
import { fnv1a } from '../../model/hash.ts';
import { Recent } from '../../model/recent.ts';
import { stems } from '../../model/terms.ts';
import { createMixer, lengthOf, type Mixture, mixed } from './builtin.ts';
import type { SharedModel } from './model-file.ts';
import { find } from './vocabulary.ts';

export interface Words {
  /** Returns how much a stem says wherever it stands: about 1, and less for "purpose" or "explain". */
  weight(stem: string): number;
  /**
   * Returns a function that says how near other texts of a few words, such as titles, are to this text, as the
   * cosine. Numbers, and words that the model does not know, do not count, because texts are near to them only by
   * accident; a text without other words gives 0.
   */
  likenessTo(text: string): (other: string) => number;
}

/**
 * The cache of texts that were asked for recently has this many bytes: many chunks share a title, and many
 * searches find the same title.
 */
const KEPT = 16 * 2 ** 20;
/** A text takes this many bytes beside itself and its words, as measured. */
const OVERHEAD = 500;

/** Training has made the rows of words that say little short; only a part of that helps the ranking. */
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

  /** Returns the mixture of a unit vector. */
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
      /** The products are kept by row, because titles of one search share many words. */
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
