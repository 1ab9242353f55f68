/**
 * Measures how similar in meaning the words of a chunk are to those words of a query that the chunk lacks. A chunk
 * with "car" is related to the query "vehicle", although it does not have the word.
 *
 * All chunks of a search are measured together, because many of them share their words, and because one call of the
 * kernel (kernel.ts) multiplies a word of the query with thousands of rows of the model.
 */
import { fnv1a } from '../../model/hash.ts';
import { BLOCK, PAGE, type Scan, type ScanMemory, scanMemory, scanOver } from '../kernel.ts';
import type { SharedModel } from './model-file.ts';
import { find, findHash } from './vocabulary.ts';

/** The terms are distinct, and each has a weight. */
interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weights: readonly number[];
}

/** Takes each chunk as the list of its `termNumbers` (model/terms.ts). Returns a number from 0 to 1 for each chunk. */
export type Relatedness = (query: WeighedTerms, chunks: readonly Uint32Array[]) => Float64Array;

/** Only the words with the most weight are compared, because each one costs a scan. */
const MAX_WORDS = 8;
/** The query has two bytes for each dimension, and a result of the kernel has four bytes. */
const QUERY_BYTES = 2;
const RESULT_BYTES = 4;

/** The memory for the rows grows to what the largest search needs, and is kept for the next searches. */
export function createRelatedness(
  model: SharedModel,
  over: (memory: ScanMemory) => Scan = scanOver,
): Relatedness {
  const { vocabulary, dimensions, lengths } = model;
  const rows = new Int32Array(model.rows.buffer, model.rows.byteOffset, model.rows.length / 4);
  const memory = scanMemory(1);
  const scan = over(memory);
  /**
   * For each row of the model, this array has the position of the row in the list of the current search, plus `base`. A
   * number below `base` is from an earlier search.
   */
  const positions = new Uint32Array(vocabulary.size);
  let base = 1;

  /**
   * Lists the distinct rows of the chunks in `found`. For each term of each chunk, `at` has the position of its row in
   * `found`, or a negative number for a term without a row.
   */
  function collect(chunks: readonly Uint32Array[]): { found: Uint32Array; at: Int32Array } {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const found = new Uint32Array(Math.min(length, vocabulary.size));
    const at = new Int32Array(length);
    let count = 0;
    let term = 0;
    for (const chunk of chunks)
      for (let i = 0; i < chunk.length; i++) {
        const row = findHash(vocabulary, chunk[i]!);
        if (row < 0) {
          at[term++] = -1;
          continue;
        }
        if (positions[row]! < base) {
          positions[row] = base + count;
          found[count++] = row;
        }
        at[term++] = positions[row]! - base;
      }
    base += count;
    if (base > 2 ** 31) {
      positions.fill(0);
      base = 1;
    }
    return { found: found.subarray(0, count), at };
  }

  /** Returns the cosine of each row with each word of the query, row by row. Cosines below 0 become 0. */
  function compare(words: readonly number[], found: Uint32Array): Float32Array {
    const count = found.length;
    const step = dimensions / 4;
    const resultsAt = dimensions * QUERY_BYTES;
    const vectorsAt = Math.ceil((resultsAt + count * RESULT_BYTES) / BLOCK) * BLOCK;
    const end = vectorsAt + count * dimensions;
    const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    const vectors = new Int32Array(memory.buffer, vectorsAt, count * step);
    for (let i = 0, to = 0; i < count; i++)
      for (let from = found[i]! * step, last = from + step; from < last; from++)
        vectors[to++] = rows[from]!;
    const query = new Int16Array(memory.buffer, 0, dimensions);
    const products = new Int32Array(memory.buffer, resultsAt, count);
    const cosines = new Float32Array(words.length * count);
    words.forEach((row, word) => {
      query.set(model.rows.subarray(row * dimensions, (row + 1) * dimensions));
      scan(vectorsAt, end, 0, resultsAt, dimensions);
      const length = lengths[row]!;
      for (let i = 0; i < count; i++) {
        const product = products[i]!;
        if (product > 0)
          cosines[i * words.length + word] = product / (length * lengths[found[i]!]!);
      }
    });
    return cosines;
  }

  return ({ terms, weights }, chunks) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const compared = terms
      .map((term, slot) => ({ weight: weights[slot]!, row: find(vocabulary, term, fnv1a(term)) }))
      .filter(({ row }) => row >= 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MAX_WORDS);
    if (compared.length === 0 || total === 0) return new Float64Array(chunks.length);
    const { found, at } = collect(chunks);
    const words = compared.map(({ row }) => row);
    const width = words.length;
    const cosines = compare(words, found);
    words.forEach((row, word) => {
      const position = found.indexOf(row);
      if (position >= 0) cosines[position * width + word] = HELD;
    });
    const best = new Float32Array(width);
    let term = 0;
    return Float64Array.from(chunks, ({ length }) => {
      best.fill(0);
      for (const end = term + length; term < end; term++) {
        const position = at[term]!;
        if (position < 0) continue;
        const from = position * width;
        for (let word = 0; word < width; word++)
          if (cosines[from + word]! > best[word]!) best[word] = cosines[from + word]!;
      }
      let sum = 0;
      compared.forEach(({ weight }, word) => {
        if (best[word] !== HELD) sum += weight * Math.min(1, best[word]!) ** 2;
      });
      return sum / total;
    });
  };
}

/**
 * Only the words of the query that a chunk lacks count. A word that the chunk has gets this number instead of a cosine,
 * so that the word can be left out. No cosine is as large.
 */
const HELD = 2;
