/**
 * Answers questions about words from the built-in model. The reranker uses it with every embedder, because it needs
 * neither a request nor a stored vector.
 */
import { fnv1a } from '../../model/hash.ts';
import { Recent } from '../../model/recent.ts';
import { stems } from '../../model/terms.ts';
import { createMixer, lengthOf, type Mixture, mixed } from './builtin.ts';
import { type Closeness, createCloseness } from './closeness.ts';
import type { SharedModel } from './model-file.ts';
import { createRelatedness, type Relatedness } from './related.ts';
import { find } from './vocabulary.ts';

export interface Words {
  /** Returns the weight of a stem: about 1, and less for words with little meaning such as "purpose" or "explain". */
  weight(stem: string): number;
  /**
   * Returns a function that returns the similarity of this text to another short text, such as a title, as a cosine.
   * Numbers and words outside the vocabulary are ignored, because a similarity to them is accidental. For a text
   * without other words, the function returns 0.
   */
  likenessTo(text: string): (other: string) => number;
  readonly related: Relatedness;
  readonly closeness: Closeness;
}

/**
 * This is the size of the cache of texts in bytes. The cache is useful because many chunks share a title, and many
 * searches find the same titles.
 */
const CACHE_BYTES = 16 * 2 ** 20;
/** An entry of the cache takes this many bytes in addition to the text and its words (measured). */
const ENTRY_BYTES = 500;

/**
 * The training made the rows of words with little meaning short. The full effect would harm the ranking, so it is
 * reduced by this exponent.
 */
const WEIGHT_EXPONENT = 0.25;

export function createWords(model: SharedModel): Words {
  const { vocabulary, hashRows, dimensions } = model;
  let sum = 0;
  for (let row = 0; row < vocabulary.size; row++) sum += lengthOfRow(model, row);
  const usual = sum / vocabulary.size;
  const mixtureOf = createMixer(model);
  const cache = new Recent<string, Mixture>({
    budget: CACHE_BYTES,
    sizeOf: ({ rows }, text) => ENTRY_BYTES + text.length + rows.length * 16,
  });
  const isCounted = (stem: string) =>
    !/^\d+$/.test(stem) && find(vocabulary, stem, fnv1a(stem)) >= 0;

  /** Returns the mixture of a text, scaled so that its vector is a unit vector. */
  const unitMixture = (text: string): Mixture => {
    const known = cache.get(text);
    if (known) return known;
    const { rows, weights } = mixtureOf(stems(text).filter(isCounted));
    const length = lengthOf(mixed(model, { rows, weights }));
    const unit = { rows, weights: weights.map((weight) => weight / length) };
    cache.set(text, unit);
    return unit;
  };

  return {
    related: createRelatedness(model),
    closeness: createCloseness(model),

    weight(stem) {
      const hash = fnv1a(stem);
      const known = find(vocabulary, stem, hash);
      const row = known >= 0 ? known : vocabulary.size + (hash % hashRows);
      return (lengthOfRow(model, row) / usual) ** WEIGHT_EXPONENT;
    },

    likenessTo(text) {
      const vector = mixed(model, unitMixture(text));
      /** Maps a row to its product with the vector. The products are cached, because the titles of one search share many words. */
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

const lengthOfRow = ({ lengths, scales }: SharedModel, row: number): number =>
  lengths[row]! * scales[row]!;
