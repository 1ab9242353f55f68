/**
 * Atoms to pieces: the cheapest of all ways to cut. A piece costs more the farther its size is from
 * the best one (research: passages of 120 to 200 words are found best), a cut costs what it tears
 * apart. Because the strong boundaries of a text attract the cuts, an edit moves only those nearby,
 * and the pieces behind it keep their vectors.
 *
 * Dynamic programming over the ends of the atoms; a piece has a limit, so the time is linear.
 */
import type { Atoms } from './atoms.ts';

const BEST_WORDS = 160;
const MAX_WORDS = 300;
const MAX_CHARACTERS = 2_000;
/** Code and tables have long words. */
const CHARACTERS_A_WORD = 8;
/** So many words more or less cost 1. */
const TOLERANCE = 40;

/** Numbers of the atoms that begin a piece. */
export function pack(atoms: Atoms): number[] {
  const { count, cuts, keeps } = atoms;
  // Of the best way to cut the first n atoms: its price, and where its last piece begins.
  const price = new Float64Array(count + 1);
  const begin = new Int32Array(count + 1);
  const kept = new Float64Array(count + 1);
  for (let i = 1; i <= count; i++) kept[i] = kept[i - 1]! + keeps[i - 1]!;
  for (let end = 1; end <= count; end++) {
    let best = Number.POSITIVE_INFINITY;
    for (let start = end - 1; start >= 0; start--) {
      const piece = pricePiece(atoms, start, end);
      // One atom is a piece always: some header may be too much for it, nothing else.
      if (piece === null && start < end - 1) break;
      const whole = price[start]! + (piece ?? 0) + kept[end - 1]! - kept[start]!;
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

/** Null if the piece would be too long. */
function pricePiece(atoms: Atoms, start: number, end: number): number | null {
  const { ends, words, headers } = atoms;
  let wordCount = words[end - 1]! - (start === 0 ? 0 : words[start - 1]!);
  let characters = ends[end - 1]! - (start === 0 ? 0 : ends[start - 1]!);
  const header = headers[start];
  if (header) {
    wordCount += header.words;
    characters += header.text.length + 1;
  }
  if (wordCount > MAX_WORDS || characters > MAX_CHARACTERS) return null;
  const distance = (Math.max(wordCount, characters / CHARACTERS_A_WORD) - BEST_WORDS) / TOLERANCE;
  return distance * distance;
}
