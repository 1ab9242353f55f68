/** Compares single words by the built-in model: how near a word of a text comes to each of some words of a question. */
import { fnv1a } from '../../model/hash.ts';
import type { SharedModel } from './model-file.ts';
import { find } from './vocabulary.ts';

/**
 * Takes stems and returns a function that returns the cosine of another stem with each of them, in their order. It
 * returns null for a stem that the model does not know. A cosine with an unknown stem is 0.
 */
export type Closeness = (stems: readonly string[]) => (other: string) => Float32Array | null;

export const createCloseness =
  (model: SharedModel): Closeness =>
  (stems) => {
    const { vocabulary, dimensions, rows, lengths } = model;
    const asked = stems.map((stem) => find(vocabulary, stem, fnv1a(stem)));
    /** Integers in memory of this thread alone are multiplied several times faster than shared bytes. */
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

/** The vectors have an even number of components. Two sums at once keep the processor busy. */
function dot(a: Int32Array, b: Int32Array): number {
  let even = 0;
  let odd = 0;
  for (let i = 0; i < a.length; i += 2) {
    even += Math.imul(a[i]!, b[i]!);
    odd += Math.imul(a[i + 1]!, b[i + 1]!);
  }
  return even + odd;
}
