/**
 * Reads the index of either database. What differs between them is an `IndexStorage`.
 *
 * Every look first reads the version of the collection. If it has changed, the look applies the chunks that were added
 * and removed since, so that rows, words and memory belong to one commit (looks.ts).
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { everything } from '../../model/filter.ts';
import type { IndexLook, IndexQuery, IndexScope, LookWork, MemoryPage, Sight } from '../ports.ts';
import { allowedNumbers } from './allowed.ts';
import { distinctTerms } from './askable.ts';
import { compareMemory, NOT_HELD, storedChunks } from './compare.ts';
import { type StoredRange, toRange } from './cosines.ts';
import { rememberingKinds } from './kinds.ts';
import { createLooks } from './looks.ts';
import {
  addMask,
  countPassing,
  lacking,
  NOTHING,
  passOf,
  type SlotTest,
  statisticsOf,
  type Weights,
  weightsOf,
} from './masks.ts';
import { endNumber, firstNumber } from './numbers.ts';
import {
  addChunks,
  createResidents,
  type IndexRow,
  type IndexSnapshot,
  type Resident,
  type ResidentChunkRow,
  type ResidentsOptions,
  removeGone,
} from './residents.ts';

/** `pass` tests whether a chunk may be returned; undefined means that every chunk may. */
export interface WordsQuestion {
  readonly terms: readonly string[];
  readonly depth: number;
  readonly pass: SlotTest | undefined;
  readonly weights: Weights;
}

export interface VectorQuestion {
  readonly vector: Float32Array;
  readonly query: Pick<IndexQuery, 'depth' | 'principals'>;
  readonly pass: SlotTest | undefined;
}

/** A reader needs these columns of `indexes`. */
export type ReadRow = IndexRow & StoredRange;

export interface IndexStorage<Row extends ReadRow> {
  readonly kind: DatabaseKind;
  readRow(tx: Tx, collectionId: string): Promise<Row | undefined>;
  /** Returns the dimensions of the vectors that are scanned in memory; 0 means that none are. */
  scanned(row: Row): number;
  /** Returns the numbers of the chunks that pass, best first. The terms are distinct. */
  byWords(snapshot: IndexSnapshot<Row>, question: WordsQuestion): Promise<number[]>;
  byVector(snapshot: IndexSnapshot<Row>, question: VectorQuestion): Promise<number[]>;
  /** Returns how many of the chunks that the asker may see have each of the (distinct) terms. */
  frequencies(
    snapshot: IndexSnapshot<Row>,
    terms: readonly string[],
    weights: Weights,
  ): Promise<ReadonlyMap<string, number>>;
}

/** A statement reads this many chunks, so that a load does not hold all of them twice. */
const PAGE = 2000;
const UNDEFINED_TABLE = '42P01';

export function createReader<Row extends ReadRow>(
  storage: IndexStorage<Row>,
  options: ResidentsOptions,
) {
  const { kind } = storage;
  const held = createResidents(options);
  const looks = createLooks(refresh);

  async function refresh(tx: Tx, collectionId: string): Promise<IndexSnapshot<Row> | undefined> {
    const row = await storage.readRow(tx, collectionId);
    if (!row) {
      held.forget(collectionId);
      return undefined;
    }
    const resident = held.take(collectionId, row, storage.scanned(row));
    if (resident.version !== row.version) await catchUp(tx, resident, collectionId);
    held.keep(collectionId, resident, row.version);
    return { tx, row, resident };
  }

  /** Returns a test that says whether a slot may be returned; undefined means that every slot may. */
  async function passTest(
    { tx, resident }: IndexSnapshot<Row>,
    scope: IndexScope,
  ): Promise<SlotTest | undefined> {
    for (const restriction of lacking(resident, scope)) {
      const { rows } = await allowedNumbers(kind, resident.index, restriction).execute(tx);
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

  const lookAt = (snapshot: IndexSnapshot<Row>): IndexLook => ({
    version: snapshot.row.version,
    cosines: toRange(snapshot.row),

    async candidates(query) {
      const { arm, depth } = query;
      const pass = await passTest(snapshot, query);
      if ('vector' in arm) return storage.byVector(snapshot, { vector: arm.vector, query, pass });
      const weights = await weightsFor(snapshot, query);
      return storage.byWords(snapshot, { terms: distinctTerms(arm.terms), depth, pass, weights });
    },

    count: async (scope) => countPassing(snapshot.resident, await passTest(snapshot, scope)),

    async statistics(terms, sight) {
      const weights = await weightsFor(snapshot, sight);
      const frequencies = await storage.frequencies(snapshot, distinctTerms(terms), weights);
      const having = terms.map((term) => frequencies.get(term) ?? 0);
      return statisticsOf(weights.totals, having);
    },
  });

  function look<Found, Read>(
    db: Kysely<Schema>,
    collectionId: string,
    { find, read }: LookWork<Found, Read>,
  ): Promise<Read> {
    const once = () =>
      looks.look(db, collectionId, {
        find: (snapshot, tx) => find(snapshot ? lookAt(snapshot) : LOOK_AT_NOTHING, tx),
        read,
      });
    return once().catch((error: { code?: unknown }) => {
      // The collection was dropped after the snapshot began: a snapshot does not keep dropped tables. A second look does
      // not find the collection.
      if (error.code === UNDEFINED_TABLE) return once();
      throw error;
    });
  }

  return {
    look,
    kinds: rememberingKinds(kind),

    /** Compares the copy of the collection in memory, brought up to date, with the rows of the same commit. */
    compare: async (
      db: Kysely<Schema>,
      collectionId: string,
      after: number | null,
    ): Promise<MemoryPage> =>
      held.has(collectionId)
        ? looks.lookInTurn(db, collectionId, async (snapshot, tx) => {
            if (!snapshot || snapshot.resident.dimensions === 0) return NOT_HELD;
            const { index, slots } = snapshot.resident;
            const start = after ?? firstNumber(index) - 1;
            const end = endNumber(index);
            return compareMemory(slots, await storedChunks(tx, start, end), { start, end });
          })
        : NOT_HELD,

    forget: held.forget,
  };
}

/** A collection that does not exist answers like an empty one. */
export const LOOK_AT_NOTHING: IndexLook = {
  version: 0,
  cosines: null,
  candidates: async () => [],
  count: async () => 0,
  statistics: async (terms) =>
    statisticsOf(
      NOTHING,
      terms.map(() => 0),
    ),
};

/** Applies to the resident the chunks that were added and removed since it was last brought up to date. */
async function catchUp(tx: Tx, resident: Resident, collectionId: string): Promise<void> {
  const gone = tx.selectFrom('gone').where('collection_id', '=', collectionId);
  if (resident.lastGone === undefined) {
    const last = await gone.select((eb) => eb.fn.max('seq').as('seq')).executeTakeFirst();
    resident.lastGone = last?.seq ?? 0;
  } else {
    const since = gone.select(['seq', 'n']).where('seq', '>', resident.lastGone);
    removeGone(resident, await since.orderBy('seq').execute());
  }
  for (let read = PAGE; read === PAGE; ) {
    const rows = await newChunks(tx, resident);
    addChunks(resident, rows);
    read = rows.length;
  }
}

async function newChunks(tx: Tx, resident: Resident): Promise<ResidentChunkRow[]> {
  const rows = tx
    .selectFrom('chunks as c')
    .select(['c.n', 'c.connection_id', 'c.length'])
    .where('c.n', '>', resident.lastNumber)
    .where('c.n', '<', endNumber(resident.index))
    .orderBy('c.n')
    .limit(PAGE);
  if (resident.dimensions === 0) return rows.execute();
  return (
    rows
      .innerJoin('chunk_bodies as b', 'b.n', 'c.n')
      // The condition follows from the join, but PostgreSQL's planner does not know it and would begin with the
      // first of all rows.
      .where('b.n', '>', resident.lastNumber)
      .select(['b.scale', 'b.vector'])
      .execute()
  );
}
