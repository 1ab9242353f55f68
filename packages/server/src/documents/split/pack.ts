/**
 * Packs atoms into pieces, in the cheapest of all ways to cut. A piece costs more, the farther its size is
 * from the best one (research: passages of 120 to 200 words are found best), and a cut costs more, the more it
 * tears apart. The strong boundaries of a text attract the cuts, so an edit moves only nearby cuts, and the
 * pieces behind it keep their vectors.
 *
 * The algorithm is dynamic programming over the ends of the atoms. The size of a piece is
 * limited, so the time is linear.
 */
import type { Atoms } from './atoms.ts';

const BEST_WORDS = 160;
const MAX_WORDS = 300;
const MAX_CHARACTERS = 2_000;
/** Code and tables have long words, so their characters count as words, too. */
const CHARACTERS_PER_WORD = 8;
/** A piece costs 1 when it has this many words more or less than the best size. */
const TOLERANCE = 40;

/** Returns the numbers of the atoms with which the pieces begin. */
export function pack(atoms: Atoms): number[] {
  const { count, offsets, words, cuts, keeps, headers } = atoms;
  const kept = new Float64Array(count + 1);
  for (let n = 1; n <= count; n++) kept[n] = kept[n - 1]! + keeps[n - 1]!;
  // For the best way to cut the first n atoms, these hold its price and the atom with which its last piece begins.
  const price = new Float64Array(count + 1);
  const begin = new Int32Array(count + 1);
  for (let end = 1; end <= count; end++) {
    let best = Number.POSITIVE_INFINITY;
    for (let start = end - 1; start >= 0; start--) {
      const header = headers[start];
      const wordCount = words[end]! - words[start]! + (header?.words ?? 0);
      const characters = offsets[end]! - offsets[start]! + (header?.text.length ?? 0);
      // A single atom with its header always keeps the limits.
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
