/**
 * Reads the index of either database. What differs between them is an `IndexStorage`.
 *
 * Every look first reads the version of the collection. If it has changed, the look applies the chunks that were added
 * and removed since, so that rows, words and memory belong to one commit (looks.ts).
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { everything } from '../../model/filter.ts';
import type {
  IndexQuery,
  IndexScope,
  KeepSegmentsOptions,
  LookWork,
  MemoryPage,
  Sight,
} from '../ports.ts';
import { allowedNumbers } from './allowed.ts';
import { catchUp, holdsChunks } from './catch-up.ts';
import { compareMemory, NOT_HELD, storedChunks } from './compare.ts';
import { type StoredRange, toRange } from './cosines.ts';
import { unnameSegment } from './index-rows.ts';
import { rememberingKinds } from './kinds.ts';
import { createLooks } from './looks.ts';
import {
  addMask,
  countPassing,
  lacking,
  passOf,
  type SlotTest,
  type Weights,
  weightsOf,
} from './masks.ts';
import { endNumber, firstNumber } from './numbers.ts';
import {
  copiedChunks,
  createResidents,
  type HeldParts,
  type IndexRow,
  type IndexSnapshot,
  type Resident,
  type ResidentsOptions,
} from './residents.ts';
import { KEPT_WHEN, type KeptWhen, keepSegments } from './segment-keeper.ts';
import type { Segments } from './segments.ts';
import { type CommonWeights, type LookPart, type ScoredNumber, unionOf } from './union.ts';

/** `pass` tests whether a chunk may be returned; undefined means that every chunk may. */
export interface WordsQuestion {
  readonly terms: readonly string[];
  readonly depth: number;
  readonly pass: SlotTest | undefined;
  readonly weights: Weights;
  /** Where these are given, they weigh the words instead of `weights`. */
  readonly common: CommonWeights | undefined;
}

export interface VectorQuestion {
  readonly vector: Float32Array;
  readonly query: Pick<IndexQuery, 'depth' | 'principals'>;
  readonly pass: SlotTest | undefined;
}

/** A reader needs these columns of `indexes`. */
export type ReadRow = IndexRow &
  StoredRange & { readonly collection_id: string; readonly segment: string | null };

export interface IndexStorage<Row extends ReadRow> {
  readonly kind: DatabaseKind;
  /** Returns the rows of those collections that exist. */
  readRows(tx: Tx, collectionIds: readonly string[]): Promise<readonly Row[]>;
  /** Returns the parts of the chunks that are searched in memory. */
  parts(row: Row): HeldParts;
  /** Returns the chunks that pass, best first. The terms are distinct. */
  byWords(snapshot: IndexSnapshot<Row>, question: WordsQuestion): Promise<readonly ScoredNumber[]>;
  byVector(
    snapshot: IndexSnapshot<Row>,
    question: VectorQuestion,
  ): Promise<readonly ScoredNumber[]>;
  /** Returns how many of the chunks that the asker may see have each of the (distinct) terms. */
  frequencies(
    snapshot: IndexSnapshot<Row>,
    terms: readonly string[],
    weights: Weights,
  ): Promise<ReadonlyMap<string, number>>;
}

export interface ReaderOptions extends ResidentsOptions {
  /** Where this is given, copies are stored in its folder, and read from there. */
  readonly segments?: Segments | undefined;
  readonly keptWhen?: KeptWhen | undefined;
}

/** The index reads at most this many collections before they are searched. */
const WARMED = 20;
const UNDEFINED_TABLE = '42P01';

export function createReader<Row extends ReadRow>(
  storage: IndexStorage<Row>,
  options: ReaderOptions,
) {
  const { kind } = storage;
  const { segments } = options;
  const held = createResidents(options);
  const looks = createLooks(refresh);
  /** This counts how often the doctor has found a copy in memory wrong. */
  let distrusts = 0;
  /** When it aborts, no collection is read to its end, so that nobody waits for it. */
  let closing: AbortSignal | undefined;

  /** Returns a snapshot for each of the collections that exist. */
  async function refresh(
    tx: Tx,
    collectionIds: readonly string[],
  ): Promise<readonly IndexSnapshot<Row>[]> {
    const rows = await storage.readRows(tx, collectionIds);
    const existing = new Set(rows.map((row) => row.collection_id));
    for (const id of collectionIds) if (!existing.has(id)) held.forget(id);
    held.requireRoomFor(
      rows.map((row) => ({ id: row.collection_id, row, parts: storage.parts(row) })),
    );
    const snapshots: IndexSnapshot<Row>[] = [];
    for (const row of rows) {
      const { collection_id: id } = row;
      const taken = held.take(id, row, storage.parts(row));
      const resident = (await fromSegment(tx, row, taken)) ?? taken;
      if (resident.version !== row.version) await catchUp(tx, resident, { id, closing });
      held.keep(id, resident, row);
      snapshots.push({ tx, row, resident });
    }
    return snapshots;
  }

  /** Returns what is stored of a copy that is not in memory, if it can be used. */
  async function fromSegment(tx: Tx, row: Row, taken: Resident): Promise<Resident | undefined> {
    if (!segments || taken.version >= 0) return undefined;
    const stored = held.empty(row.number, storage.parts(row));
    return (await segments.read(tx, row, stored)) ? stored : undefined;
  }

  /** Returns a test that says whether a slot may be returned; undefined means that every slot may. */
  async function passTest(
    { tx, row, resident }: IndexSnapshot<Row>,
    scope: IndexScope,
  ): Promise<SlotTest | undefined> {
    const collection = { id: row.collection_id, index: resident.index };
    for (const restriction of lacking(resident, scope)) {
      const { rows } = await allowedNumbers(kind, collection, restriction).execute(tx);
      const numbers = rows.map((row) => row.n);
      addMask(resident, restriction, numbers);
    }
    return passOf(resident, scope);
  }

  /** Returns the weights of words for an asker. */
  async function weightsFor(
    snapshot: IndexSnapshot<Row>,
    { live, principals }: Sight,
  ): Promise<Weights> {
    const sight = { live, principals };
    const counts =
      principals === null ? undefined : await passTest(snapshot, { ...sight, filter: everything });
    return weightsOf(snapshot.resident, sight, snapshot.row, counts);
  }

  const partOf = (snapshot: IndexSnapshot<Row>): LookPart => ({
    collectionId: snapshot.row.collection_id,
    index: snapshot.row.number,
    version: snapshot.row.version,
    chunks: snapshot.row.chunks,
    cosines: toRange(snapshot.row),

    async candidates(query) {
      const { arm, depth } = query;
      const pass = await passTest(snapshot, query);
      if ('vector' in arm) return storage.byVector(snapshot, { vector: arm.vector, query, pass });
      const weights = await weightsFor(snapshot, query);
      return storage.byWords(snapshot, { ...arm, depth, pass, weights });
    },

    count: async (scope) => countPassing(snapshot.resident, await passTest(snapshot, scope)),
    totals: async (sight) => (await weightsFor(snapshot, sight)).totals,
    frequencies: async (terms, sight) =>
      storage.frequencies(snapshot, terms, await weightsFor(snapshot, sight)),
  });

  function look<Found, Read>(
    db: Kysely<Schema>,
    collectionIds: readonly string[],
    { find, read }: LookWork<Found, Read>,
  ): Promise<Read> {
    const once = () =>
      looks.look(db, collectionIds, {
        find: (snapshots, tx) => find(unionOf(snapshots.map(partOf)), tx),
        read,
      });
    return once().catch((error: { code?: unknown }) => {
      // A collection was dropped after the snapshot began: a snapshot does not keep dropped tables. A second look does
      // not find the collection.
      if (error.code === UNDEFINED_TABLE) return once();
      throw error;
    });
  }

  async function warm(db: Kysely<Schema>, signal: AbortSignal): Promise<void> {
    closing = signal;
    const largest = await db
      .selectFrom('indexes')
      .select('collection_id')
      .where('chunks', '>', 0)
      .orderBy('chunks', 'desc')
      .limit(WARMED)
      .execute();
    const ids = largest.map(({ collection_id }) => collection_id);
    if (ids.length === 0) return;
    const rows = await inSnapshot(db, (tx) => storage.readRows(tx, ids));
    let left = options.budget / 2;
    const failures: unknown[] = [];
    for (const row of rows.toSorted((a, b) => b.chunks - a.chunks)) {
      const id = row.collection_id;
      const bytes = held.bytesOf(id, storage.parts(row), row);
      if (signal.aborted || bytes > Math.min(left, held.free())) continue;
      left -= bytes;
      await looks.lookInTurn(db, id, async () => {}).catch((error) => failures.push(error));
    }
    if (failures.length > 0 && !signal.aborted)
      throw new AggregateError(failures, `${failures.length} collections could not be read`);
  }

  return {
    look,
    warm,
    residentBytes: () => options.budget - held.free(),
    evictions: held.evictions,
    kinds: rememberingKinds(kind),

    /** Compares the copy of the collection in memory, brought up to date, with the rows of the same commit. */
    compare: async (
      db: Kysely<Schema>,
      collectionId: string,
      after: number | null,
    ): Promise<MemoryPage> =>
      held.has(collectionId)
        ? looks.lookInTurn(db, collectionId, async ([snapshot], tx) => {
            if (!snapshot || !holdsChunks(snapshot.resident)) return NOT_HELD;
            const { resident } = snapshot;
            const start = after ?? firstNumber(resident.index) - 1;
            const end = endNumber(resident.index);
            const rows = await storedChunks(tx, collectionId, { start, end });
            return compareMemory(copiedChunks(resident), rows, { start, end });
          })
        : NOT_HELD,

    async forget(db: Kysely<Schema>, collectionId: string): Promise<void> {
      distrusts++;
      await unnameSegment(db, collectionId);
      held.forget(collectionId);
    },

    keepSegments: (
      db: Kysely<Schema>,
      { readsCollections, ...kept }: KeepSegmentsOptions,
    ): Promise<void> =>
      segments
        ? keepSegments(db, segments, {
            ...kept,
            copyOf: (id) =>
              looks.lookInTurn(
                db,
                id,
                async ([one]) => one && { copy: one.resident, row: one.row },
              ),
            when: options.keptWhen ?? KEPT_WHEN,
            trust: () => {
              const now = distrusts;
              return () => distrusts === now;
            },
            hasRoom: async (id) => {
              if (held.has(id) || !readsCollections) return held.has(id);
              const [row] = await inSnapshot(db, (tx) => storage.readRows(tx, [id]));
              return row !== undefined && held.bytesOf(id, storage.parts(row), row) <= held.free();
            },
          })
        : Promise.resolve(),
  };
}
