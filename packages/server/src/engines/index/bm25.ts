/**
 * Computes BM25 as FTS5 does, to the last bit, so that every index orders its candidates by the same numbers.
 * https://sqlite.org/fts5.html#the_bm25_function
 */
const K1 = 1.2;
const B = 0.75;
/** A term that most chunks have gets this weight. */
const LEAST_IDF = 1e-6;

/** Returns the weight (inverse document frequency) of a term that `having` chunks have, out of `chunks` chunks. */
export const inverseFrequency = (chunks: number, having: number): number =>
  Math.max(LEAST_IDF, Math.log((chunks - having + 0.5) / (having + 0.5)));

/**
 * Returns the factor of BM25 that grows with the frequency of a term in a chunk, ever more slowly, and shrinks with the
 * length of the chunk. Lengths are in terms.
 */
export const saturated = (frequency: number, length: number, averageLength: number): number =>
  (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength));
