/**
 * This embedder needs neither a download nor a key. It is a table of word vectors that was trained for this purpose
 * (models/README.md). The vector of a text is the sum over its distinct words of (1 + ln count) × the word's row,
 * scaled to a unit vector. The length of a row is the weight of the word.
 */
import { setImmediate } from 'node:timers/promises';
import { fnv1a } from '../../model/hash.ts';
import { stems } from '../../model/terms.ts';
import type { Embedder } from '../ports.ts';
import { loadModel, type SharedModel } from './model-file.ts';
import { find } from './vocabulary.ts';

/** After this many texts, which take about 20 ms, the event loop gets a turn. */
const TEXTS_PER_TURN = 128;

/** Other threads pass the `model` that the first thread has loaded. */
export function createBuiltinEmbedder(options: { model?: SharedModel } = {}): Embedder {
  const model = options.model ?? loadModel();
  const mixtureOf = createMixer(model);
  return {
    model: 'quarry-static-256-v1',
    isBuiltIn: true,
    dimensions: model.dimensions,
    async embed(texts, _as, signal) {
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) await setImmediate();
        signal.throwIfAborted();
        vectors.push(unit(mixed(model, mixtureOf(stems(text)))));
      }
      return vectors;
    },
  };
}

/** A mixture represents a text by rows of the model, each with a weight. */
export interface Mixture {
  readonly rows: readonly number[];
  readonly weights: readonly number[];
}

/** The returned function makes the mixture of a text from its stems. Without stems, the mixture is empty. */
export function createMixer(model: SharedModel): (stems: readonly string[]) => Mixture {
  const { scales } = model;
  const counts = new Uint32Array(scales.length);
  return (stems) => {
    const rows: number[] = [];
    const count = (row: number) => {
      if (counts[row]!++ === 0) rows.push(row);
    };
    for (const stem of stems) eachRow(model, stem, count);
    const weights = rows.map((row) => (1 + Math.log(counts[row]!)) * scales[row]!);
    for (const row of rows) counts[row] = 0;
    return { rows, weights };
  };
}

/** Returns the weighted sum of the rows, which is not a unit vector. Returns zeros for an empty mixture. */
export function mixed({ dimensions, rows: table }: SharedModel, { rows, weights }: Mixture) {
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < rows.length; at++) {
    const start = rows[at]! * dimensions;
    const weight = weights[at]!;
    for (let i = 0; i < dimensions; i++) vector[i]! += weight * table[start + i]!;
  }
  return vector;
}

/**
 * Visits the rows of a word. A word that is not in the vocabulary shares rows with other words: one row for the whole
 * word and, if it is long enough, one for its beginning and one for its end.
 */
function eachRow(model: SharedModel, stem: string, visit: (row: number) => void): void {
  const { vocabulary, hashRows } = model;
  const hash = fnv1a(stem);
  const known = find(vocabulary, stem, hash);
  visit(known >= 0 ? known : vocabulary.size + (hash % hashRows));
  if (known >= 0 || stem.length <= 4 || /^\d+$/.test(stem)) return;
  visit(vocabulary.size + (fnv1a(`<${stem.slice(0, 4)}`) % hashRows));
  visit(vocabulary.size + (fnv1a(`${stem.slice(-4)}>`) % hashRows));
}

function unit(vector: Float32Array): Float32Array {
  const factor = 1 / lengthOf(vector);
  for (let i = 0; i < vector.length; i++) vector[i]! *= factor;
  return vector;
}

export function lengthOf(vector: Float32Array): number {
  let square = 1e-12; // The small start value prevents a division by zero for a text without words.
  for (const x of vector) square += x * x;
  return Math.sqrt(square);
}
