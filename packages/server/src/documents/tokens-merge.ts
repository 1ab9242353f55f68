/**
 * Merges bytes into tokens (byte pair encoding). Of all neighbouring parts that together are a token, the pair with the
 * lowest rank is merged, the leftmost first, until no such pair remains. A heap of the pairs makes the time n log n.
 */
import FlatQueue from 'flatqueue';
import { must } from '../util.ts';

/** Positions are below this number and ranks below 2^21, so `rank * POSITIONS + position` is exact. */
const POSITIONS = 2 ** 32;

/** Returns the number of tokens of the bytes. `bytes` has one character per byte (Latin-1). */
export function countMerged(bytes: string, ranks: ReadonlyMap<string, number>): number {
  if (bytes.length < 2 || ranks.has(bytes)) return bytes === '' ? 0 : 1;
  // Part i begins at byte i and ends at next[i]; previous[j] is the part before part j.
  const next = Int32Array.from({ length: bytes.length }, (_, i) => i + 1);
  const previous = Int32Array.from({ length: bytes.length }, (_, i) => i - 1);
  /**
   * This is the rank of part i together with the next part, or -1. An entry of the heap with another rank is outdated
   * and is ignored.
   */
  const pairRank = new Int32Array(bytes.length).fill(-1);
  const heap = new FlatQueue();

  const consider = (part: number) => {
    const second = next[part]!;
    const rank = second < bytes.length ? ranks.get(bytes.slice(part, next[second])) : undefined;
    pairRank[part] = rank ?? -1;
    if (rank !== undefined) heap.push(part, rank * POSITIONS + part);
  };
  for (let part = 0; part + 1 < bytes.length; part++) consider(part);

  let count = bytes.length;
  while (heap.length > 0) {
    const rank = Math.floor(must(heap.peekValue()) / POSITIONS);
    const part = must(heap.pop());
    if (pairRank[part] !== rank) continue;
    const second = next[part]!;
    const behind = next[second]!;
    pairRank[second] = -1;
    next[part] = behind;
    if (behind < bytes.length) previous[behind] = part;
    count--;
    consider(part);
    if (previous[part]! >= 0) consider(previous[part]!);
  }
  return count;
}
