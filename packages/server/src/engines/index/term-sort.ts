/** Sorts the terms of many chunks before they are added to the lists of words. */
const TERM_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const RADIX_BITS = 11;
const RADIX_MASK = 2 ** RADIX_BITS - 1;

/**
 * Sorts the terms of chunks, and says which chunk has each of them; the chunks of a term are in order. A term that has been
 * sorted is looked up once for all its chunks, which is several times faster than to look up each term of each chunk. This
 * is a radix sort, in steps of 11 bits.
 */
export function sortedByTerm(chunks: readonly Uint8Array[]) {
  const length = chunks.reduce((sum, chunk) => sum + countOf(chunk), 0);
  let terms = new Uint32Array(length);
  const bytes = new Uint8Array(terms.buffer);
  let chunkOf = new Uint32Array(length);
  let at = 0;
  for (const [number, chunk] of chunks.entries()) {
    const count = countOf(chunk);
    // The bytes of a chunk may begin anywhere in their memory, so they are copied before they are read as numbers.
    bytes.set(chunk.subarray(0, count * TERM_BYTES), at * TERM_BYTES);
    chunkOf.fill(number, at, at + count);
    at += count;
  }
  let sortedTerms = new Uint32Array(length);
  let sortedChunks = new Uint32Array(length);
  for (let shift = 0; shift < 32; shift += RADIX_BITS) {
    const starts = startsOf(terms, shift);
    for (let i = 0; i < length; i++) {
      const to = starts[(terms[i]! >>> shift) & RADIX_MASK]!++;
      sortedTerms[to] = terms[i]!;
      sortedChunks[to] = chunkOf[i]!;
    }
    [terms, sortedTerms] = [sortedTerms, terms];
    [chunkOf, sortedChunks] = [sortedChunks, chunkOf];
  }
  return { terms, chunkOf };
}

/** A damaged row may end within a number; the doctor reports it. */
const countOf = (chunk: Uint8Array): number => Math.floor(chunk.length / TERM_BYTES);

/** Returns where the terms with each value of these bits begin when they are sorted by it. */
function startsOf(terms: Uint32Array, shift: number): Uint32Array {
  const starts = new Uint32Array(2 ** RADIX_BITS + 1);
  for (let i = 0; i < terms.length; i++) starts[((terms[i]! >>> shift) & RADIX_MASK) + 1]!++;
  for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
  return starts;
}
