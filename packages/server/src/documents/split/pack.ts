/**
 * Packs atoms into pieces so that the sum of all prices is the lowest possible. A piece has a price that grows with the
 * difference between its size and the best size (research: searches work best with passages of 120 to 200 words). A cut
 * has a price that grows with how closely the texts on its two sides belong together. Cuts are therefore mostly at
 * strong boundaries of the text, so an edit moves only nearby cuts, and the later pieces keep their vectors.
 *
 * The algorithm is dynamic programming over the ends of the atoms. Its time is linear, because the size of a piece is
 * limited.
 */
import type { Atoms } from './atoms.ts';

const BEST_WORDS = 160;
const MAX_WORDS = 300;
const MAX_CHARACTERS = 2_000;
/** This many characters count as at least one word, because code and tables have long words. */
const CHARACTERS_PER_WORD = 8;
/** A piece that has this many words more or fewer than the best size has the price 1. */
const TOLERANCE = 40;

/** Returns the numbers of the atoms with which the pieces begin. */
export function pack(atoms: Atoms): number[] {
  const { count, offsets, words, cuts, keeps, headers } = atoms;
  const kept = new Float64Array(count + 1);
  for (let n = 1; n <= count; n++) kept[n] = kept[n - 1]! + keeps[n - 1]!;
  // `price[n]` is the lowest price of cutting the first n atoms; `begin[n]` is the number of the atom with which
  // the last piece of that solution begins.
  const price = new Float64Array(count + 1);
  const begin = new Int32Array(count + 1);
  for (let end = 1; end <= count; end++) {
    let best = Number.POSITIVE_INFINITY;
    for (let start = end - 1; start >= 0; start--) {
      const header = headers[start];
      const wordCount = words[end]! - words[start]! + (header?.words ?? 0);
      const characters = offsets[end]! - offsets[start]! + (header?.text.length ?? 0);
      // A single atom with its header is always within the limits.
      if (wordCount > MAX_WORDS || characters > MAX_CHARACTERS) break;
      const size = Math.max(wordCount, characters / CHARACTERS_PER_WORD);
      const whole = price[start]! + priceOfSize(size) + kept[end - 1]! - kept[start]!;
      if (whole < best) {
        best = whole;
        begin[end] = start;
      }
    }
    price[end] = best + (end < count ? cuts[end - 1]! : 0);
  }
  const starts: number[] = [];
  for (let end = count; end > 0; end = begin[end]!) starts.push(begin[end]!);
  return starts.reverse();
}

const priceOfSize = (size: number): number => ((size - BEST_WORDS) / TOLERANCE) ** 2;
