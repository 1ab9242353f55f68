/**
 * What the built-in model knows of words. The reranker asks it whichever embedder fills the index: it
 * costs neither a request nor a stored vector.
 */
import { fnv1a } from '../../model/hash.ts';
import { Recent } from '../../model/recent.ts';
import { stems } from '../../model/terms.ts';
import { createEncoder } from './builtin.ts';
import type { SharedModel } from './model-file.ts';
import { find } from './vocabulary.ts';

export interface Words {
  /** How much a stem says wherever it stands: about 1, less for "purpose" or "explain". */
  weight(stem: string): number;
  /**
   * Of a few words, such as a title: a unit vector. Numbers and words that the model does not know
   * count nothing, because what is near to them is so by accident; zeros of a text without others.
   */
  vector(text: string): Float32Array;
}

/** Bytes for vectors of texts that were asked for lately: many chunks share a title, many searches find it. */
const KEPT = 16 * 2 ** 20;

/** Training has made the rows of words that say little short; only some of that helps the ranking. */
const DAMPING = 0.25;

export function createWords(model: SharedModel): Words {
  const { vocabulary, hashRows } = model;
  let sum = 0;
  for (let row = 0; row < vocabulary.size; row++) sum += lengthOf(model, row);
  const usual = sum / vocabulary.size;
  const encode = createEncoder(model);
  const kept = new Recent<string, Float32Array>({
    budget: KEPT,
    sizeOf: (vector, text) => vector.byteLength + text.length + 350,
  });
  const means = (stem: string) => !/^\d+$/.test(stem) && find(vocabulary, stem, fnv1a(stem)) >= 0;
  return {
    weight(stem) {
      const hash = fnv1a(stem);
      const known = find(vocabulary, stem, hash);
      const row = known >= 0 ? known : vocabulary.size + (hash % hashRows);
      return (lengthOf(model, row) / usual) ** DAMPING;
    },
    vector(text) {
      let vector = kept.get(text);
      if (!vector) {
        vector = encode(stems(text).filter(means));
        kept.set(text, vector);
      }
      return vector;
    },
  };
}

function lengthOf({ dimensions, rows, scales }: SharedModel, row: number): number {
  let square = 0;
  for (let i = row * dimensions; i < (row + 1) * dimensions; i++) square += rows[i]! * rows[i]!;
  return Math.sqrt(square) * scales[row]!;
}
