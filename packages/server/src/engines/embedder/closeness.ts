/**
 * Compares single words by the built-in model: how similar in meaning a word of a text is to each word of a question.
 */
import { fnv1a } from '../../model/hash.ts';
import type { SharedModel } from './model-file.ts';
import { find } from './vocabulary.ts';

/**
 * Takes the stems of a question. The returned function takes another stem and returns its cosine with each stem of the
 * question, in their order; a cosine with a stem that the model does not know is 0. The function returns null when the
 * model does not know the other stem.
 */
export type Closeness = (stems: readonly string[]) => (other: string) => Float32Array | null;

export const createCloseness =
  (model: SharedModel): Closeness =>
  (stems) => {
    const { vocabulary, dimensions, rows, lengths } = model;
    const asked = stems.map((stem) => find(vocabulary, stem, fnv1a(stem)));
    /**
     * These are copies, because integers in the memory of one thread are multiplied several times faster than shared
     * bytes.
     */
    const vectors = asked.map((row) =>
      Int32Array.from(rows.subarray(row * dimensions, (row < 0 ? row : row + 1) * dimensions)),
    );
    const vector = new Int32Array(dimensions);

    function compare(row: number): Float32Array {
      for (let i = 0, at = row * dimensions; i < dimensions; i++) vector[i] = rows[at + i]!;
      const cosines = new Float32Array(asked.length);
      for (let k = 0; k < asked.length; k++)
        if (asked[k]! >= 0)
          cosines[k] = dot(vectors[k]!, vector) / (lengths[asked[k]!]! * lengths[row]! || 1);
      return cosines;
    }

    /** The texts of one answer share most of their words, so each word is compared once. */
    const compared = new Map<string, Float32Array | null>();
    return (other) => {
      let cosines = compared.get(other);
      if (cosines !== undefined) return cosines;
      const row = find(vocabulary, other, fnv1a(other));
      cosines = row < 0 ? null : compare(row);
      compared.set(other, cosines);
      return cosines;
    };
  };

/**
 * The vectors have an even number of components. Two sums are faster than one, because the processor computes both at
 * once.
 */
function dot(a: Int32Array, b: Int32Array): number {
  let even = 0;
  let odd = 0;
  for (let i = 0; i < a.length; i += 2) {
    even += Math.imul(a[i]!, b[i]!);
    odd += Math.imul(a[i + 1]!, b[i + 1]!);
  }
  return even + odd;
}
