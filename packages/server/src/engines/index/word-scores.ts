/** Ranks the chunks of a collection in memory, by the lists of the chunks that have each term of a query. */
import type { Totals } from '../ports.ts';
import { bestOf } from './best.ts';
import { inverseFrequency, saturated } from './bm25.ts';
import type { SlotTest } from './masks.ts';
import { firstNumber } from './numbers.ts';
import { type GinLists, MIDDLE } from './postgres-words.ts';
import { numbered, type Resident } from './residents.ts';
import { NOBODY } from './slots.ts';
import type { ScoredNumber } from './union.ts';

/** These are the chunks that have a term. */
export interface TermOccurrences {
  readonly slots: Int32Array;
  /** The frequencies say how often each of these chunks has the term. */
  readonly frequencies: Uint32Array;
}

export interface WeighedOccurrences extends TermOccurrences {
  /** This many of the chunks that `totals` counts have the term. By default, they are the chunks of the list. */
  readonly chunks?: number | undefined;
}

/**
 * Finds the slots of the chunks in the lists that PostgreSQL returned for a term. Chunks that `counts` does not let
 * through are left out, as if they did not exist.
 */
export function placed(
  resident: Resident,
  { chunks, bits }: GinLists,
  counts: SlotTest | undefined,
): TermOccurrences {
  const slots = slotsOf(resident, chunks).filter(isCounted(counts));
  const more = new Uint8Array(resident.slots.size);
  bits.forEach((list, bit) => {
    for (const slot of slotsOf(resident, list)) more[slot]! += 1 << bit;
  });
  const frequencies = new Uint32Array(slots.length);
  for (let i = 0; i < slots.length; i++) frequencies[i] = 1 + more[slots[i]!]!;
  return { slots, frequencies };
}

/**
 * Returns the chunks of the copy in memory that have a term. Chunks that `counts` does not let through are left out. The
 * arrays are valid until the next list is read.
 */
export function held(
  { slots, postings }: Pick<Resident, 'slots' | 'postings'>,
  term: number,
  counts: SlotTest | undefined,
): TermOccurrences {
  const list = postings.read(term);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const slot = list.slots[i]!;
    if (slots.connection(slot) === NOBODY || (counts && !counts(slot))) continue;
    list.slots[length] = slot;
    list.frequencies[length++] = list.frequencies[i]!;
  }
  return {
    slots: list.slots.subarray(0, length),
    frequencies: list.frequencies.subarray(0, length),
  };
}

/** A chunk that is in a list and not in memory has no slot (-1); the doctor reports it. */
const isCounted =
  (counts: SlotTest | undefined): SlotTest =>
  (slot) =>
    slot >= 0 && (counts === undefined || counts(slot));

/**
 * Returns the slots of chunks. The number of a chunk is the first number of the collection plus MIDDLE plus its distance.
 * Lists come nearly in the order of numbers, so the search goes on from the previous slot.
 */
function slotsOf({ slots, index }: Resident, distances: Int32Array): Int32Array {
  const first = firstNumber(index) + MIDDLE;
  const found = new Int32Array(distances.length);
  let last = Number.NEGATIVE_INFINITY;
  let slot = 0;
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i]!;
    slot = slots.find(first + distance, distance >= last ? Math.max(slot, 0) : 0);
    found[i] = slot;
    last = distance;
  }
  return found;
}

/** Returns how many chunks that pass have at least one of the terms. */
export function matching(
  { slots }: Resident,
  terms: readonly TermOccurrences[],
  pass: SlotTest | undefined,
): number {
  const seen = new Uint8Array(slots.size);
  let count = 0;
  for (const term of terms)
    for (const slot of term.slots)
      if (seen[slot] === 0) {
        seen[slot] = 1;
        if (!pass || pass(slot)) count++;
      }
  return count;
}

/** Returns the best chunks. Scores are summed up in the order of the terms; a list is not used after the next is taken. */
export function bestByWords(
  { slots }: Resident,
  totals: Totals,
  terms: Iterable<WeighedOccurrences>,
  depth: number,
  pass: SlotTest | undefined,
): ScoredNumber[] {
  const average = totals.terms / totals.chunks;
  const scores = new Float64Array(slots.size);
  for (const { slots: having, frequencies, chunks = having.length } of terms) {
    const worth = inverseFrequency(totals.chunks, chunks);
    for (let i = 0; i < having.length; i++) {
      const slot = having[i]!;
      scores[slot]! += worth * saturated(frequencies[i]!, slots.length(slot), average);
    }
  }
  const best = bestOf(depth);
  let least = Math.max(0, best.least());
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot]!;
    if (score > least && (!pass || pass(slot))) {
      best.add(slot, score);
      least = Math.max(0, best.least());
    }
  }
  return numbered(slots, best.take());
}
