/** Scores of the chunks of a collection in memory, made of lists of chunks that have a term. */
import { bestOf } from './best.ts';
import { inverseFrequency, saturated } from './bm25.ts';
import { MIDDLE, type Postings } from './postgres-words.ts';
import type { Pass, Resident } from './residents.ts';
import { firstNumber } from './rows.ts';

/** By slot instead of by number. */
interface Placed {
  readonly chunks: Int32Array;
  readonly bits: readonly Int32Array[];
}

export interface Totals {
  readonly chunks: number;
  readonly terms: number;
}

export const placed = (resident: Resident, { chunks, bits }: Postings): Placed => ({
  chunks: slotsOf(resident, chunks),
  bits: bits.map((list) => slotsOf(resident, list)),
});

/** Lists come nearly in the order of numbers, so the next slot is a little behind the last. */
function slotsOf({ slots, index }: Resident, distances: Int32Array): Int32Array {
  const first = firstNumber(index);
  const found = new Int32Array(distances.length);
  let last = -1;
  let slot = 0;
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i]! + MIDDLE;
    slot = slots.find(first + distance, distance > last ? Math.max(slot, 0) : 0);
    found[i] = slot;
    last = distance;
  }
  return found;
}

/** How many chunks that pass have one of the terms. */
export function matching({ slots }: Resident, terms: readonly Placed[], pass: Pass): number {
  const seen = new Uint8Array(slots.size);
  let count = 0;
  for (const { chunks } of terms)
    for (const slot of chunks)
      if (seen[slot] === 0) {
        seen[slot] = 1;
        if (pass(slot)) count++;
      }
  return count;
}

/** Numbers of the best chunks. The order of the terms is that of the sums. */
export function bestByWords(
  { slots }: Resident,
  totals: Totals,
  terms: readonly Placed[],
  depth: number,
  pass: Pass,
): number[] {
  const average = totals.terms / totals.chunks;
  const scores = new Float64Array(slots.size);
  const more = new Uint8Array(slots.size);
  for (const { chunks, bits } of terms) {
    const worth = inverseFrequency(totals.chunks, chunks.length);
    bits.forEach((list, bit) => {
      for (const slot of list) more[slot]! += 1 << bit;
    });
    for (const slot of chunks) {
      scores[slot]! += worth * saturated(1 + more[slot]!, slots.length(slot), average);
      more[slot] = 0;
    }
  }
  const best = bestOf(depth);
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot]!;
    if (score > 0 && best.takes(score) && pass(slot)) best.add(slot, score);
  }
  return best.take().map((slot) => slots.number(slot));
}
