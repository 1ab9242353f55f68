/** Marks tell apart the words of two copies of a chunk without comparing each word. */

/** Two lists of terms in any order have the same mark when they are the same, and hardly ever when they are not. */
export function wordsMark(terms: Uint32Array): number {
  let mark = 0;
  for (const term of terms) mark += markOf(term);
  return mark % 2 ** 32;
}

/** Small differences of two terms become large ones, so that they do not add up to nothing. */
export function markOf(term: number): number {
  const once = Math.imul(term ^ (term >>> 15), 0x2c1b3c6d);
  const twice = Math.imul(once ^ (once >>> 12), 0x297a2d39);
  return (twice ^ (twice >>> 15)) >>> 0;
}
