/**
 * Maps words to numbers, as a hash table in shared memory: threads that embed share one copy, while a Map of
 * 50,000 strings would cost each of them several megabytes.
 *
 * The table uses open addressing; a slot holds the number of a word plus one. Word n has the UTF-16 code units
 * from `starts[n]` to `starts[n + 1]`.
 */

import { fnv1a } from '../../model/hash.ts';

export interface Vocabulary {
  readonly size: number;
  readonly slots: Uint32Array;
  /** Word n has the hash `hashes[n]`, its `fnv1a`. */
  readonly hashes: Uint32Array;
  readonly starts: Uint32Array;
  readonly units: Uint16Array;
}

export const sharedBytes = (length: number): SharedArrayBuffer => new SharedArrayBuffer(length);

export function createVocabulary(words: readonly string[]): Vocabulary {
  const length = words.reduce((sum, word) => sum + word.length, 0);
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(1, words.length) * 2));
  const slots = new Uint32Array(sharedBytes(slotCount * 4));
  const starts = new Uint32Array(sharedBytes((words.length + 1) * 4));
  const units = new Uint16Array(sharedBytes(length * 2));
  const hashes = new Uint32Array(sharedBytes(words.length * 4));
  let end = 0;
  words.forEach((word, number) => {
    for (let i = 0; i < word.length; i++) units[end++] = word.charCodeAt(i);
    starts[number + 1] = end;
    const hash = fnv1a(word);
    hashes[number] = hash;
    let slot = hash & (slotCount - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = number + 1;
  });
  return { size: words.length, slots, hashes, starts, units };
}

/** Returns the number of the word, or -1; `hash` is its `fnv1a`. */
export function find(vocabulary: Vocabulary, word: string, hash: number): number {
  const { slots, hashes, starts, units } = vocabulary;
  const mask = slots.length - 1;
  for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const number = slots[slot]! - 1;
    if (hashes[number] !== hash) continue;
    const start = starts[number]!;
    if (starts[number + 1]! - start !== word.length) continue;
    let i = 0;
    while (i < word.length && units[start + i] === word.charCodeAt(i)) i++;
    if (i === word.length) return number;
  }
  return -1;
}

/**
 * Returns the number of the first word with this `fnv1a`, or -1. Two words have the same hash with a probability of 1
 * in 2^32.
 */
export function findHash({ slots, hashes }: Vocabulary, hash: number): number {
  const mask = slots.length - 1;
  for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const number = slots[slot]! - 1;
    if (hashes[number] === hash) return number;
  }
  return -1;
}
