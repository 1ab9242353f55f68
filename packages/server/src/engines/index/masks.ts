/**
 * Says which chunks of a copy in memory a question may return, and which weights words have for its asker.
 *
 * A filter and a list of principals have a mask each, because the chunks that an asker may see are needed without
 * the filter, too: words are weighed by what the asker may see, so that nothing else moves a score
 * (docs/decisions/0017-what-one-may-not-see.md). Masks and weights are valid until the collection changes.
 */
import { LRUCache } from 'lru-cache';
import { everything } from '../../model/filter.ts';
import { must } from '../../util.ts';
import type { IndexScope, Sight, Statistics, Totals } from '../ports.ts';
import { isRestricted, type Restriction, restrictionKey } from './allowed.ts';
import type { IndexRow, Resident } from './residents.ts';
import { NOBODY, type Slots } from './slots.ts';

export type SlotTest = (slot: number) => boolean;

/** BM25 needs these numbers about the chunks that an asker may see. */
export interface Weights {
  /** The totals of the chunks that the asker may see. */
  readonly totals: Totals;
  /** The frequencies say how many of these chunks have a term, for the terms asked about so far. */
  readonly frequencies: LRUCache<string, number>;
  /** The test says whether a chunk counts; undefined means that all chunks do. */
  readonly counts: SlotTest | undefined;
}

export interface Masks {
  /** The key is a restriction; the value has a 1 for each slot that the restriction allows. */
  readonly allowed: LRUCache<string, Uint8Array>;
  /** The key says what an asker may see. */
  readonly weights: LRUCache<string, Omit<Weights, 'counts'>>;
  /** These frequencies count the whole collection. */
  readonly frequencies: LRUCache<string, number>;
  clear(): void;
}

/** One question needs two masks at most. */
const MASKS = 8;
const WEIGHTS = 4;
const FREQUENCIES = 10_000;

// An LRUCache with `max` takes the memory for all its entries at once, and every collection has several caches.
const createFrequencies = () =>
  new LRUCache<string, number>({ maxSize: FREQUENCIES, sizeCalculation: () => 1 });

export function createMasks(): Masks {
  const allowed = new LRUCache<string, Uint8Array>({ max: MASKS });
  const weights = new LRUCache<string, Omit<Weights, 'counts'>>({ max: WEIGHTS });
  const frequencies = createFrequencies();
  return {
    allowed,
    weights,
    frequencies,
    clear() {
      allowed.clear();
      weights.clear();
      frequencies.clear();
    },
  };
}

/** A scope consists of up to two restrictions that only the database can answer. */
const restrictionsOf = ({ filter, principals }: IndexScope): Restriction[] =>
  [
    { filter, principals: null },
    { filter: everything, principals },
  ].filter(isRestricted);

/** Returns the restrictions of the scope that have no mask yet; the database must be asked for their numbers. */
export const lacking = ({ masks }: Resident, scope: IndexScope): Restriction[] =>
  // The look-up marks a mask as used, so that adding the other mask does not push it out.
  restrictionsOf(scope).filter((one) => masks.allowed.get(restrictionKey(one)) === undefined);

/** Remembers which chunks a restriction allows, by their numbers. */
export function addMask(
  { masks, slots }: Resident,
  restriction: Restriction,
  numbers: Iterable<number>,
): void {
  const mask = new Uint8Array(slots.size);
  for (const n of numbers) mask[slots.find(n)] = 1;
  masks.allowed.set(restrictionKey(restriction), mask);
}

/**
 * Returns a test that says whether a slot may be returned; undefined means that every slot may. Every mask of the scope
 * must have been added.
 */
export function passOf({ slots, masks }: Resident, scope: IndexScope): SlotTest | undefined {
  const ids = new Set(scope.live);
  const live = slots.connections.map((id, index) => index !== NOBODY && ids.has(id));
  const isLive: SlotTest = (slot) => live[slots.connection(slot)]!;
  const [first, second] = restrictionsOf(scope).map((one) =>
    must(masks.allowed.get(restrictionKey(one)), 'the requested mask was not read'),
  );
  if (second) return (slot) => isLive(slot) && first![slot] === 1 && second[slot] === 1;
  if (first) return (slot) => isLive(slot) && first[slot] === 1;
  return live.every((one, index) => one || index === NOBODY) ? undefined : isLive;
}

/**
 * `counts` tests whether the asker may see a chunk; it is undefined for an asker that may see the whole
 * collection.
 */
export function weightsOf(
  { slots, masks }: Resident,
  { live, principals }: Sight,
  row: Pick<IndexRow, 'chunks' | 'terms'>,
  counts: SlotTest | undefined,
): Weights {
  if (!counts) return { totals: row, frequencies: masks.frequencies, counts };
  const key = JSON.stringify([live, principals && [...principals].sort()]);
  const known = masks.weights.get(key);
  const weights = known ?? { totals: totalsOf(slots, counts), frequencies: createFrequencies() };
  if (!known) masks.weights.set(key, weights);
  return { ...weights, counts };
}

/** Returns the frequencies of these (distinct) terms. `count` computes those that are not remembered yet. */
export async function frequenciesOf(
  terms: readonly string[],
  { frequencies }: Weights,
  count: (unknown: readonly string[]) => Promise<readonly number[]>,
): Promise<Map<string, number>> {
  const unknown = terms.filter((term) => frequencies.get(term) === undefined);
  const counted = unknown.length > 0 ? await count(unknown) : [];
  const found = new Map(unknown.map((term, i) => [term, counted[i] ?? 0]));
  const all = new Map(terms.map((term) => [term, frequencies.get(term) ?? found.get(term) ?? 0]));
  for (const [term, chunks] of found) frequencies.set(term, chunks);
  return all;
}

/** A collection that does not exist has these totals. */
export const NOTHING: Totals = { chunks: 0, terms: 0 };

/** `having` says how many chunks have each of the terms, in the order asked. */
export const statisticsOf = ({ chunks, terms }: Totals, having: readonly number[]): Statistics => ({
  chunks,
  averageLength: chunks > 0 ? terms / chunks : 0,
  documentFrequencies: having,
});

function totalsOf(slots: Slots, counts: SlotTest): Totals {
  let chunks = 0;
  let terms = 0;
  for (let slot = 0; slot < slots.size; slot++) {
    if (!counts(slot)) continue;
    chunks++;
    terms += slots.length(slot);
  }
  return { chunks, terms };
}

/** Counts the chunks that pass. */
export function countPassing({ slots }: Resident, pass: SlotTest | undefined): number {
  return totalsOf(slots, pass ?? ((slot) => slots.connection(slot) !== NOBODY)).chunks;
}

/** Returns the numbers of the chunks that pass. */
export function passing({ slots }: Resident, pass: SlotTest): number[] {
  const numbers: number[] = [];
  for (let slot = 0; slot < slots.size; slot++) if (pass(slot)) numbers.push(slots.number(slot));
  return numbers;
}
