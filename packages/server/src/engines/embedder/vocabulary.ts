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
  let end = 0;
  words.forEach((word, number) => {
    for (let i = 0; i < word.length; i++) units[end++] = word.charCodeAt(i);
    starts[number + 1] = end;
    let slot = fnv1a(word) & (slotCount - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = number + 1;
  });
  return { size: words.length, slots, starts, units };
}

/** Returns the number of the word, or -1; `hash` is its `fnv1a`. */
export function find(vocabulary: Vocabulary, word: string, hash: number): number {
  const { slots, starts, units } = vocabulary;
  const mask = slots.length - 1;
  for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const number = slots[slot]! - 1;
    const start = starts[number]!;
    if (starts[number + 1]! - start !== word.length) continue;
    let i = 0;
    while (i < word.length && units[start + i] === word.charCodeAt(i)) i++;
    if (i === word.length) return number;
  }
  return -1;
}
