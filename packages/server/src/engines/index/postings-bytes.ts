/**
 * Returns about how many bytes the words of chunks take that have this many terms in all: three bytes for each entry and 50
 * for each distinct term. The number of distinct terms grows as a power of the number of all terms (Heaps' law,
 * https://nlp.stanford.edu/IR-book/html/htmledition/heaps-law-estimating-the-number-of-terms-1.html).
 */
export const postingsBytes = (terms: number): number =>
  Math.ceil(terms * 3 + 50 * 40 * terms ** 0.6);
