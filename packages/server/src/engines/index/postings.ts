/**
 * Holds the words of one collection in memory: for each term, the slots (slots.ts) of the chunks that have it, and how
 * often each of them has it. Terms are numbers (model/terms.ts).
 *
 * Chunks are only added at the end, so the list of a term only grows. A list lies in an arena of bytes that all terms
 * share, in pieces that become longer as the list grows; each of them ends with the address of the next. An entry is
 * the distance from the slot before, doubled, plus one if the frequency follows because it is above one. Both numbers
 * have seven bits in a byte, the lowest bits first. A zero in front of the end of a piece means that the next entry did
 * not fit; no entry begins with a zero. The newest entry of a list is in the table of terms, because its frequency may
 * still grow. So the many terms that only one chunk has take no room in the arena.
 *
 * Lists keep the slots of removed chunks until `compacted` makes them again, so callers leave out dead slots.
 */
import { randomInt } from 'node:crypto';
import type { PostingFacts, SegmentColumns } from './segment-file.ts';
import { sortedByTerm } from './term-sort.ts';
import { bytesOf, readNumber, writeNumber } from './varints.ts';
import { markOf } from './words-mark.ts';

/** These are the fields of a term in the table, which has 32 bits for each. */
const FIELDS = 8;
const TERM = 0;
/** The count of entries is 0 in a free place of the table. */
const COUNT = 1;
/** The first piece of the list begins here; 0 means that the list has none. */
const HEAD = 2;
/** The next entry is written here, … */
const AT = 3;
/** … unless it would go beyond this address, where the link to the next piece is. */
const END = 4;
const LAST_SLOT = 5;
/** This is the distance from the slot before to the last slot. */
const LAST_DISTANCE = 6;
/** The highest four bits say how long the newest piece is, and the others are the frequency of the last slot. */
const SIZE_AND_FREQUENCY = 7;
const FREQUENCY_BITS = 28;
const MOST_FREQUENT = 2 ** FREQUENCY_BITS - 1;
/** A distance of slots, doubled, has 28 bits, so that it takes four bytes at most. */
export const MOST_SLOTS = 2 ** 27 - 1;

const LINK = 4;
/** The pieces of a list have these lengths in bytes, with their links; all further ones are as long as the last. */
const PIECES = [14, 18, 26, 38, 56, 84, 124, 184, 274, 404, 604, 904, 1354, 2004];
/** The distance and the frequency have four bytes each at most. */
const LONGEST_ENTRY = 8;
/** The table grows when more than this share of its places is taken. */
const FULL = 0.7;
const GROWTH = 1.5;
const LONGEST_ARENA = 2 ** 32 - 1;

/** These are the chunks that have a term. Both arrays are valid until the next list is read. */
interface PostingList {
  readonly slots: Int32Array;
  readonly frequencies: Uint32Array;
  readonly length: number;
}

export interface Postings {
  readonly bytes: number;
  readonly facts: PostingFacts;
  /** The bytes of all columns. They are valid until chunks are added. */
  columns(): SegmentColumns;
  /** Makes room in empty lists for what another process has stored, whose columns the caller then writes. */
  restore(facts: PostingFacts): SegmentColumns;
  /**
   * Notes that the chunk has the term so many times, or so many times more. The chunks of a term come in ascending order of
   * their slots.
   */
  add(slot: number, term: number, times: number): void;
  /** Adds chunks whose slots follow each other, each with the bytes of the numbers of its terms. */
  addAll(first: number, chunks: readonly Uint8Array[]): void;
  /** Returns the chunks that have the term, in ascending order of their slots. */
  read(term: number): PostingList;
  /** Returns the same lists for chunks that have moved: `slotOf` has their new slots, or -1 for removed ones. */
  compacted(slotOf: Int32Array): Postings;
  /** Returns the `wordsMark` of each of the first `size` slots. */
  marks(size: number): Uint32Array;
}

export function createPostings(): Postings {
  /** Nobody can choose words that share a place, because nobody knows this factor. */
  let factor = randomInt(2 ** 31) * 2 + 1;
  let places = 64;
  let taken = 0;
  let table = new Uint32Array(places * FIELDS);
  /** The arena begins with a byte that is not used, because the address 0 means that a list has no pieces. */
  let arena = new Uint8Array(256);
  let used = 1;
  let slots = new Int32Array(64);
  let frequencies = new Uint32Array(64);

  /** Returns where the fields of the term begin, or those of the free place where they belong. */
  function find(term: number): number {
    let place = Math.floor(((Math.imul(term, factor) >>> 0) / 2 ** 32) * places);
    for (;;) {
      const at = place * FIELDS;
      if (table[at + COUNT] === 0 || table[at + TERM] === term) return at;
      place = place + 1 === places ? 0 : place + 1;
    }
  }

  function growTable(): void {
    const old = table;
    places = Math.ceil(places * GROWTH);
    table = new Uint32Array(places * FIELDS);
    for (let at = 0; at < old.length; at += FIELDS)
      if (old[at + COUNT] !== 0) table.set(old.subarray(at, at + FIELDS), find(old[at + TERM]!));
  }

  /** Returns the address of a new piece. */
  function newPiece(size: number): number {
    const at = used;
    used += size;
    if (used > LONGEST_ARENA)
      throw new RangeError('the words of one collection take more than 4 GB');
    if (used > arena.length) {
      const grown = new Uint8Array(Math.min(LONGEST_ARENA, Math.ceil(used * 1.3)));
      grown.set(arena);
      arena = grown;
    }
    return at;
  }

  /** Begins the first piece of a list, or the next one. */
  function beginPiece(term: number): void {
    const packed = table[term + SIZE_AND_FREQUENCY]!;
    const isFirst = table[term + HEAD] === 0;
    const size = isFirst ? 0 : nextSize(packed >>> FREQUENCY_BITS);
    const piece = newPiece(PIECES[size]!);
    const link = table[term + END]!;
    if (isFirst) table[term + HEAD] = piece;
    else for (let i = 0; i < LINK; i++) arena[link + i] = piece >>> (8 * i);
    table[term + AT] = piece;
    table[term + END] = piece + PIECES[size]! - LINK;
    table[term + SIZE_AND_FREQUENCY] = size * 2 ** FREQUENCY_BITS + (packed & MOST_FREQUENT);
  }

  /** Writes the newest entry of a list behind the others. */
  function writeLast(term: number): void {
    const frequency = table[term + SIZE_AND_FREQUENCY]! & MOST_FREQUENT;
    const distance = table[term + LAST_DISTANCE]! * 2 + (frequency > 1 ? 1 : 0);
    if (table[term + AT]! + LONGEST_ENTRY > table[term + END]!) {
      const bytes = bytesOf(distance) + (frequency > 1 ? bytesOf(frequency) : 0);
      if (table[term + AT]! + bytes > table[term + END]!) beginPiece(term);
    }
    let at = writeNumber(arena, table[term + AT]!, distance);
    if (frequency > 1) at = writeNumber(arena, at, frequency);
    table[term + AT] = at;
  }

  /** Returns where the fields of the term are, which is a new one if no chunk has had it. */
  function placeOf(term: number): number {
    const at = find(term);
    if (table[at + COUNT] !== 0) return at;
    if (taken >= places * FULL) {
      growTable();
      return placeOf(term);
    }
    taken++;
    table[at + TERM] = term;
    return at;
  }

  /** Notes at the end of the list of a term that the chunk in the slot has it. */
  function push(term: number, slot: number, times: number): void {
    if (slot >= MOST_SLOTS)
      throw new RangeError(`slot ${slot} is beyond the words of a collection`);
    const count = table[term + COUNT]!;
    const last = table[term + LAST_SLOT]!;
    let frequency = times;
    if (count > 0 && last === slot)
      frequency = Math.min(
        MOST_FREQUENT,
        times + (table[term + SIZE_AND_FREQUENCY]! & MOST_FREQUENT),
      );
    else {
      if (count > 0) writeLast(term);
      table[term + COUNT] = count + 1;
      table[term + LAST_DISTANCE] = count > 0 ? slot - last : slot + 1;
      table[term + LAST_SLOT] = slot;
    }
    const packed = table[term + SIZE_AND_FREQUENCY]!;
    table[term + SIZE_AND_FREQUENCY] = packed - (packed & MOST_FREQUENT) + frequency;
  }

  /** Reads the list of a term into `slots` and `frequencies`. */
  function decode(term: number, length: number): void {
    if (slots.length < length) {
      slots = new Int32Array(length * 2);
      frequencies = new Uint32Array(length * 2);
    }
    const [bytes, toSlots, toFrequencies] = [arena, slots, frequencies];
    let piece = 0;
    let at = table[term + HEAD]!;
    let end = at + PIECES[0]! - LINK;
    let slot = -1;
    for (let entry = 0; entry < length - 1; entry++) {
      let number = at === end ? 0 : bytes[at]!;
      if (number === 0) {
        at = readLink(end);
        piece = nextSize(piece);
        end = at + PIECES[piece]! - LINK;
        number = bytes[at]!;
      }
      if (number > 127) {
        number = readNumber(bytes, at);
        at += bytesOf(number);
      } else at++;
      slot += number >> 1;
      toSlots[entry] = slot;
      let frequency = 1;
      if (number & 1) {
        frequency = readNumber(bytes, at);
        at += bytesOf(frequency);
      }
      toFrequencies[entry] = frequency;
    }
    slots[length - 1] = table[term + LAST_SLOT]!;
    frequencies[length - 1] = table[term + SIZE_AND_FREQUENCY]! & MOST_FREQUENT;
  }

  const readLink = (at: number): number =>
    arena[at]! + arena[at + 1]! * 2 ** 8 + arena[at + 2]! * 2 ** 16 + arena[at + 3]! * 2 ** 24;

  const columns = (): SegmentColumns => ({
    table: new Uint8Array(table.buffer),
    arena: arena.subarray(0, used),
  });

  return {
    get bytes() {
      return table.byteLength + arena.byteLength;
    },
    get facts() {
      return { factor, places, taken, used };
    },
    columns,
    restore(facts) {
      ({ factor, places, taken, used } = facts);
      table = new Uint32Array(places * FIELDS);
      arena = new Uint8Array(used);
      return columns();
    },

    add(slot, term, times) {
      push(placeOf(term), slot, times);
    },

    addAll(first, chunks) {
      const { terms, chunkOf } = sortedByTerm(chunks);
      let at = 0;
      for (let from = 0, to = 0; from < terms.length; from = to) {
        const term = terms[from]!;
        const chunk = chunkOf[from]!;
        if (from === 0 || term !== terms[from - 1]) at = placeOf(term);
        to = from + 1;
        while (to < terms.length && terms[to] === term && chunkOf[to] === chunk) to++;
        push(at, first + chunk, to - from);
      }
    },

    read(number) {
      const term = find(number);
      const length = table[term + COUNT]!;
      if (length > 0) decode(term, length);
      return { slots, frequencies, length };
    },

    compacted(slotOf) {
      const kept = createPostings();
      for (let term = 0; term < table.length; term += FIELDS) {
        const length = table[term + COUNT]!;
        if (length > 0) decode(term, length);
        for (let i = 0; i < length; i++) {
          const slot = slotOf[slots[i]!]!;
          if (slot >= 0) kept.add(slot, table[term + TERM]!, frequencies[i]!);
        }
      }
      return kept;
    },

    marks(size) {
      const marks = new Uint32Array(size);
      for (let term = 0; term < table.length; term += FIELDS) {
        const length = table[term + COUNT]!;
        if (length > 0) decode(term, length);
        const mark = markOf(table[term + TERM]!);
        for (let i = 0; i < length; i++) marks[slots[i]!]! += Math.imul(mark, frequencies[i]!);
      }
      return marks;
    },
  };
}

const nextSize = (size: number): number => Math.min(size + 1, PIECES.length - 1);
