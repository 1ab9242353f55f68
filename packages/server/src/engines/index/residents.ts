/**
 * Holds the copies of collections in memory for the readers of both databases, and knows when a copy is valid.
 *
 * At the beginning of every look, the reader reads the row of the collection in `indexes`. If its version differs from
 * that of the copy, the reader applies to the copy the chunks that were removed and added since.
 */
import type { Tx } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import type { Vector } from '../../model/vector.ts';
import { PAGE, type Scan, type ScanMemory, scanOver } from '../kernel.ts';
import type { ScoredPosition } from './best.ts';
import { residents as heldWithin, RETRY_AFTER, requireRoom } from './budget.ts';
import type { MemoryCopy } from './compare.ts';
import { createMasks, type Masks, type SlotTest } from './masks.ts';
import { firstNumber } from './numbers.ts';
import { createPostings, MOST_SLOTS, type Postings } from './postings.ts';
import { postingsBytes } from './postings-bytes.ts';
import { GONE_KEPT_MS, viewOf } from './rows.ts';
import { createSlots, haveRoom, type Slots, slotsBytes } from './slots.ts';
import type { ScoredNumber } from './union.ts';

export interface ResidentsOptions {
  /** All collections together may take this many bytes in memory. */
  readonly budget: number;
  readonly scanOver?: (memory: ScanMemory) => Scan;
}

/** This is a row of the table `indexes`. */
export interface IndexRow {
  readonly number: number;
  readonly version: number;
  readonly chunks: number;
  readonly terms: number;
}

/** A copy holds these parts of each chunk. */
export interface HeldParts {
  /** These are the dimensions of the vectors in memory; 0 means that the memory has no vectors. */
  readonly dimensions: number;
  readonly holdsWords: boolean;
}

export interface Resident extends HeldParts {
  readonly index: number;
  readonly slots: Slots;
  /** The lists are empty where the copy holds no words. */
  postings: Postings;
  /** These are the marks of the words in each slot, once they were compared with the rows of this version. */
  wordsMarks: Uint32Array | undefined;
  version: number;
  lastNumber: number;
  /**
   * This is the `seq` of the newest row of `gone` that was applied. It is undefined in a new resident, which has no
   * chunks yet and so ignores earlier removals.
   */
  lastGone: number | undefined;
  /** The resident was last known to be up to date at this time, in milliseconds since 1970. */
  readAt: number;
  /** The masks say which chunks questions may return, and which weights words have for each asker. */
  readonly masks: Masks;
}

/** This is the state of a collection in the snapshot of a transaction. */
export interface IndexSnapshot<Row extends IndexRow = IndexRow> {
  readonly tx: Tx;
  readonly row: Row;
  readonly resident: Resident;
}

interface GoneRow {
  readonly seq: number;
  readonly n: number;
}

/** Parts that the copy does not hold are missing. */
export interface ResidentChunkRow {
  readonly n: number;
  readonly connection_id: string;
  readonly length: number;
  readonly scale?: number;
  readonly vector?: Uint8Array;
  /** These are the bytes of `termNumbers`. */
  readonly terms?: Uint8Array | null;
}

/** A resident without chunks takes about this many bytes. */
const EMPTY_BYTES = 2 * PAGE;
const NO_TERMS = new Uint8Array();
const NO_VECTOR: Vector = { scale: 0, values: new Int8Array() };

/** Returns whether the copy can be brought to the version of the row. */
function leadsTo(resident: Resident, row: IndexRow, parts: HeldParts): boolean {
  if (resident.index !== row.number || !areSame(resident, parts)) return false;
  // After a failover that lost commits, other chunks get the numbers of those that are lost.
  if (hasShrunk(resident, row) || resident.version > row.version) return false;
  // Where the clock was set back, nobody knows how old the copy is.
  const age = Date.now() - resident.readAt;
  const slept = age < 0 || age > GONE_KEPT_MS / 2;
  return !slept || resident.version === row.version;
}

export function createResidents(options: ResidentsOptions) {
  const held = heldWithin<Resident>(options.budget);
  /** These are the bytes that each term of a collection took, where that was more than was expected. */
  const measured = new Map<string, number>();

  const bytesOf = (collectionId: string, parts: HeldParts, row: IndexRow): number =>
    residentBytes(parts, row, measured.get(collectionId));

  function forget(collectionId: string): void {
    held.delete(collectionId);
    measured.delete(collectionId);
  }

  /**
   * Counts the words as they are, because nobody knows before they are read how many of them are distinct. A copy that was
   * brought up to date also holds words of removed chunks, which a new one would not, so it is never refused, and only
   * lowers what a term takes. It does so because a collection that was small has more distinct words for its size.
   */
  function recount(collectionId: string, resident: Resident, row: IndexRow): void {
    const { dimensions, postings } = resident;
    const bytes = slotsBytes(dimensions, row.chunks) + postings.bytes;
    const isNew = resident.version < 0;
    const before = measured.get(collectionId) ?? 0;
    const perTerm = postings.bytes / Math.max(1, row.terms);
    if (before > perTerm) measured.set(collectionId, perTerm);
    if (!held.has(collectionId) || bytes <= bytesOf(collectionId, resident, row)) return;
    if (isNew) measured.set(collectionId, perTerm);
    held.admit(collectionId, isNew ? bytes : Math.min(bytes, options.budget));
  }

  const empty = (index: number, { dimensions, holdsWords }: HeldParts): Resident => ({
    index,
    dimensions,
    holdsWords,
    postings: createPostings(),
    wordsMarks: undefined,
    slots: createSlots(dimensions, options.scanOver ?? scanOver),
    version: -1,
    lastNumber: firstNumber(index) - 1,
    lastGone: undefined,
    readAt: 0,
    masks: createMasks(),
  });

  return {
    empty,

    /** Throws a 503 when collections of these sizes are too large to be held at the same time. */
    requireRoomFor(
      collections: readonly {
        readonly id: string;
        readonly parts: HeldParts;
        readonly row: IndexRow;
      }[],
    ) {
      requireRoom(
        collections.map(({ id, parts, row }) => bytesOf(id, parts, row)),
        options.budget,
      );
    },

    bytesOf,
    free: held.free,
    evictions: held.evictions,

    /**
     * Returns the copy, or an empty one when none can be brought up to date. The caller brings it to the version of the
     * row and then calls `keep`. Throws a 503 when the collection is too large for the memory, as `keep` does.
     */
    take(collectionId: string, row: IndexRow, parts: HeldParts): Resident {
      const known = held.get(collectionId);
      const resident = known && leadsTo(known, row, parts) ? known : undefined;
      if (resident?.version !== row.version) {
        if (!haveAddresses(parts, row)) throw tooLarge(row.chunks);
        held.admit(collectionId, bytesOf(collectionId, parts, row));
        // An incomplete refresh must not be used, so the resident is held again only when the refresh is complete.
        held.set(collectionId, undefined);
      }
      return resident ?? empty(row.number, parts);
    },

    keep(collectionId: string, resident: Resident, row: IndexRow): void {
      if (resident.version !== row.version) {
        if (resident.holdsWords) recount(collectionId, resident, row);
        resident.masks.clear();
        resident.wordsMarks = undefined;
      }
      resident.version = row.version;
      resident.readAt = Date.now();
      held.set(collectionId, resident);
    },

    has: (collectionId: string): boolean => held.get(collectionId) !== undefined,

    forget,
  };
}

/**
 * Returns whether the slots take more than twice the memory that the budget now counts for them. Then the collection is
 * read again, into a smaller copy. The words do not matter here, because they are written again when the slots are compacted.
 */
const hasShrunk = ({ version, dimensions, slots }: Resident, row: IndexRow): boolean =>
  version !== row.version && slots.bytes > 2 * (slotsBytes(dimensions, row.chunks) + EMPTY_BYTES);

/**
 * Returns about how many bytes the copy of a collection takes. Damaged totals may be negative. `bytesPerTerm` is known where
 * the words took more than was expected.
 */
export function residentBytes(
  { dimensions, holdsWords }: HeldParts,
  row: Pick<IndexRow, 'chunks' | 'terms'>,
  bytesPerTerm = 0,
): number {
  const [chunks, terms] = [Math.max(0, row.chunks), Math.max(0, row.terms)];
  const words = holdsWords ? Math.max(postingsBytes(terms), terms * bytesPerTerm) : 0;
  return slotsBytes(dimensions, chunks) + words;
}

/** Vectors and lists of words have addresses of 32 bits. */
const haveAddresses = ({ dimensions, holdsWords }: HeldParts, { chunks, terms }: IndexRow) =>
  haveRoom(dimensions, chunks) &&
  (!holdsWords || (chunks < MOST_SLOTS && postingsBytes(Math.max(0, terms)) < 2 ** 32));

const areSame = (a: HeldParts, b: HeldParts): boolean =>
  a.dimensions === b.dimensions && a.holdsWords === b.holdsWords;

const tooLarge = (chunks: number): AppError =>
  new AppError(
    503,
    `this collection (${chunks} chunks) has more vectors or words than the 4 GB of each that one collection can have in memory: split the collection, or use PostgreSQL with pgvector and pg_textsearch`,
    { code: 'index_too_large', retryAfter: RETRY_AFTER },
  );

export function removeGone(resident: Resident, rows: readonly GoneRow[]): void {
  removeChunks(
    resident,
    rows.map(({ n }) => n),
  );
  resident.lastGone = rows.at(-1)?.seq ?? resident.lastGone;
}

export function removeChunks(resident: Resident, numbers: readonly number[]): void {
  for (const n of numbers) resident.slots.remove(n);
  const slotOf = resident.slots.compact();
  if (slotOf) resident.postings = resident.postings.compacted(slotOf);
}

/** The rows are in ascending order of `n`. */
export function addChunks(resident: Resident, rows: readonly ResidentChunkRow[]): void {
  const { slots, postings, holdsWords } = resident;
  const first = slots.size;
  for (const { n, connection_id, length, scale, vector } of rows) {
    const held = scale !== undefined && vector ? viewOf({ scale, vector }) : NO_VECTOR;
    slots.append(n, connection_id, length, held);
    resident.lastNumber = n;
  }
  if (holdsWords)
    postings.addAll(
      first,
      rows.map(({ terms }) => terms ?? NO_TERMS),
    );
}

/** Returns the chunks of the copy in the form in which the doctor compares them with the rows. */
export function copiedChunks(resident: Resident): MemoryCopy {
  const { slots, postings, dimensions, holdsWords } = resident;
  // The marks of all chunks are made at once, which takes too long to be done for each page of the comparison.
  if (holdsWords) resident.wordsMarks ??= postings.marks(slots.size);
  const marks = resident.wordsMarks;
  return {
    *between(after, end) {
      for (const { slot, n, connection, vector } of slots.between(after, end))
        yield {
          n,
          connection,
          ...(dimensions > 0 && { vector }),
          ...(marks && { wordsMark: marks[slot]! }),
        };
    },
  };
}

/** Returns the nearest chunks, each with its cosine. */
export const nearest = (
  { slots }: Resident,
  vector: Float32Array,
  depth: number,
  pass: SlotTest = () => true,
): ScoredNumber[] => numbered(slots, slots.nearest(vector, depth, pass));

/** The positions are slots. */
export const numbered = (
  { number }: Pick<Slots, 'number'>,
  found: readonly ScoredPosition[],
): ScoredNumber[] => found.map(({ position, score }) => ({ n: number(position), score }));
