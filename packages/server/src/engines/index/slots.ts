/**
 * Holds the chunks of one collection in memory, as the columns that the scan and the filter of candidates need.
 *
 * Slots are in the order of the chunks' numbers, which are never reused, so a slot is found by binary search, and
 * a tie by number is a tie by slot. A removed chunk leaves a dead slot behind (scale 0, connection NOBODY);
 * `compact` closes the gaps once a third of the slots is dead.
 *
 * The memory of the scan has the query as int16, then the scores of one pass, then the vectors one after the other; it
 * has zeros where nothing was written. A pass scans SCANNED vectors, so that their scores are still in the cache of the
 * processor when they are read.
 */
import { quantize, type Vector } from '../../model/vector.ts';
import { BLOCK, PAGE, type Scan, type ScanMemory, scanMemory } from '../kernel.ts';
import { bestOf, type ScoredPosition } from './best.ts';
import type { SegmentColumns } from './segment-file.ts';

const SCANNED = 4096;
const FEWEST_DEAD = 1024;
/** This is the connection of a dead slot. */
export const NOBODY = 0;

interface SlotChunk {
  readonly slot: number;
  readonly n: number;
  readonly connection: string;
  readonly vector: Vector;
}

/** These are a part of what a stored copy has; the rest are columns. */
export interface SlotFacts {
  readonly size: number;
  readonly dead: number;
  readonly connections: readonly string[];
}

export interface Slots {
  /** The size includes dead slots. */
  readonly size: number;
  /** The slots take this many bytes of memory. The number never becomes smaller. */
  readonly bytes: number;
  readonly facts: SlotFacts;
  /** The bytes of all columns. They are valid until the slots change. */
  columns(): SegmentColumns;
  /** Makes room in new slots for what another process has stored, whose columns the caller then writes. */
  restore(facts: SlotFacts): SegmentColumns;
  /** Chunks come in ascending order of their numbers. */
  append(n: number, connection: string, length: number, vector: Vector): void;
  remove(n: number): void;
  /**
   * Closes the gaps when many slots are dead, and then returns where each slot has gone: its new slot, or -1 for a dead
   * one.
   */
  compact(): Int32Array | undefined;
  /** Returns the slot of a chunk, or -1. The search begins at the slot `from`. */
  find(n: number, from?: number): number;
  number(slot: number): number;
  /** The length is in terms. */
  length(slot: number): number;
  vector(slot: number): Vector;
  /** Returns an index into `connections`. */
  connection(slot: number): number;
  /** Element i is the id of the connection with the index i; element NOBODY is empty. */
  readonly connections: readonly string[];
  /** Yields the living chunks between two numbers (both excluded), in order. */
  between(after: number, end: number): Generator<SlotChunk>;
  /** Returns the slots that pass and whose cosine with the query is above 0, best first. */
  nearest(query: Float32Array, depth: number, pass: (slot: number) => boolean): ScoredPosition[];
}

const padded = (dimensions: number) => Math.ceil(dimensions / BLOCK) * BLOCK;

/** Returns the memory of `chunks` chunks in bytes, with the room that growing leaves and the masks of filters. */
export const slotsBytes = (dimensions: number, chunks: number): number =>
  Math.ceil(chunks * (padded(dimensions) + 8 + 4 + 4 + 4) * 1.3) + SCANNED * 4;

/** Returns whether the memory of a scan, whose addresses have 32 bits, has room for this many chunks. */
export const haveRoom = (dimensions: number, chunks: number): boolean =>
  padded(dimensions) * (chunks + 2) + SCANNED * 4 <= 2 ** 32;

export function createSlots(dimensions: number, scanOver: (memory: ScanMemory) => Scan): Slots {
  const width = padded(dimensions);
  const scoresAt = width * 2;
  const vectorsAt = scoresAt + SCANNED * 4;
  const memory = scanMemory(Math.ceil(vectorsAt / PAGE));
  const scan = scanOver(memory);
  const connections: string[] = [''];
  const interned = new Map<string, number>();
  let numbers = new Float64Array(256);
  let scales = new Float32Array(256);
  let owners = new Int32Array(256);
  let lengths = new Int32Array(256);
  let size = 0;
  let dead = 0;

  const bytes = () => new Int8Array(memory.buffer);
  let view = bytes();

  const makeRoom = () => {
    const needed = vectorsAt + (size + 1) * width - memory.buffer.byteLength;
    if (needed > 0) {
      memory.grow(Math.max(Math.ceil(needed / PAGE), memory.buffer.byteLength >> 18));
      view = bytes();
    }
    if (size < numbers.length) return;
    const length = Math.max(256, Math.ceil(size * 1.25));
    numbers = resized(numbers, new Float64Array(length));
    scales = resized(scales, new Float32Array(length));
    owners = resized(owners, new Int32Array(length));
    lengths = resized(lengths, new Int32Array(length));
  };
  const columns = (): SegmentColumns => ({
    numbers: new Uint8Array(numbers.buffer, 0, size * numbers.BYTES_PER_ELEMENT),
    scales: new Uint8Array(scales.buffer, 0, size * scales.BYTES_PER_ELEMENT),
    owners: new Uint8Array(owners.buffer, 0, size * owners.BYTES_PER_ELEMENT),
    lengths: new Uint8Array(lengths.buffer, 0, size * lengths.BYTES_PER_ELEMENT),
    vectors: new Uint8Array(memory.buffer, vectorsAt, size * width),
  });
  const intern = (connection: string): number => {
    let index = interned.get(connection);
    if (index === undefined) {
      index = connections.push(connection) - 1;
      interned.set(connection, index);
    }
    return index;
  };
  const lowerBound = (n: number, from: number): number => {
    let low = from;
    let step = 1;
    while (low + step < size && numbers[low + step]! < n) {
      low += step;
      step *= 2;
    }
    let high = Math.min(size, low + step + 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle]! < n) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const find = (n: number, from = 0): number => {
    const slot = lowerBound(n, from);
    return slot < size && numbers[slot] === n && owners[slot] !== NOBODY ? slot : -1;
  };

  const vector = (slot: number): Vector => {
    const start = vectorsAt + slot * width;
    return { scale: scales[slot]!, values: view.slice(start, start + dimensions) };
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      const columns = [numbers, scales, owners, lengths];
      return columns.reduce((sum, one) => sum + one.byteLength, memory.buffer.byteLength);
    },
    get facts() {
      return { size, dead, connections };
    },
    columns,
    restore(facts) {
      const pages = Math.ceil((vectorsAt + facts.size * width) / PAGE);
      memory.grow(Math.max(0, pages - memory.buffer.byteLength / PAGE));
      view = bytes();
      numbers = new Float64Array(facts.size);
      scales = new Float32Array(facts.size);
      owners = new Int32Array(facts.size);
      lengths = new Int32Array(facts.size);
      for (const connection of facts.connections.slice(1)) intern(connection);
      ({ size, dead } = facts);
      return columns();
    },
    connections,
    find,
    number: (slot) => numbers[slot]!,
    length: (slot) => lengths[slot]!,
    connection: (slot) => owners[slot]!,
    vector,

    *between(after, end) {
      for (let slot = lowerBound(after + 1, 0); slot < size && numbers[slot]! < end; slot++)
        if (owners[slot] !== NOBODY)
          yield {
            slot,
            n: numbers[slot]!,
            connection: connections[owners[slot]!]!,
            vector: vector(slot),
          };
    },

    append(n, connection, length, vector) {
      if (vector.values.length !== dimensions)
        throw new Error(
          `chunk ${n} has a vector of ${vector.values.length} dimensions instead of ${dimensions}`,
        );
      makeRoom();
      const start = vectorsAt + size * width;
      view.set(vector.values, start);
      numbers[size] = n;
      scales[size] = vector.scale;
      owners[size] = intern(connection);
      lengths[size] = length;
      size++;
    },

    remove(n) {
      const slot = find(n);
      if (slot < 0) return;
      owners[slot] = NOBODY;
      scales[slot] = 0;
      dead++;
    },

    compact() {
      if (dead < FEWEST_DEAD || dead * 3 < size) return undefined;
      const slotOf = new Int32Array(size).fill(-1);
      let kept = 0;
      for (let slot = 0; slot < size; slot++) {
        if (owners[slot] === NOBODY) continue;
        slotOf[slot] = kept;
        if (kept < slot) {
          const start = vectorsAt + slot * width;
          view.copyWithin(vectorsAt + kept * width, start, start + width);
          numbers[kept] = numbers[slot]!;
          scales[kept] = scales[slot]!;
          owners[kept] = owners[slot]!;
          lengths[kept] = lengths[slot]!;
        }
        kept++;
      }
      size = kept;
      dead = 0;
      return slotOf;
    },

    nearest(query, depth, pass) {
      const { scale, values } = quantize(query);
      const words = new Int16Array(memory.buffer, 0, width);
      words.set(values);
      const sums = new Int32Array(memory.buffer, scoresAt, SCANNED);
      const best = bestOf(depth);
      // A call for each of a million slots would take as long as the scan.
      let least = Math.max(0, best.least());
      for (let first = 0; first < size; first += SCANNED) {
        const count = Math.min(SCANNED, size - first);
        const start = vectorsAt + first * width;
        scan(start, start + count * width, 0, scoresAt, width);
        const some = scales.subarray(first, first + count);
        for (let i = 0; i < count; i++) {
          const score = sums[i]! * some[i]! * scale;
          if (score > least && pass(first + i)) {
            best.add(first + i, score);
            least = Math.max(0, best.least());
          }
        }
      }
      return best.take();
    },
  };
}

function resized<A extends Float64Array | Float32Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
