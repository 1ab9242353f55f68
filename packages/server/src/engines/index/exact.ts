/**
 * This search index uses no special feature of its database: its rows are on SQLite or PostgreSQL, it holds everything
 * in memory, and it extracts the words again from the stored texts. The tests compare the other indexes with it.
 *
 * Every look first reads the version of the collection. If the version has changed, the look applies to the memory the
 * chunks that were added and removed since.
 */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { DatabaseKind } from '../../db/connect.ts';
import { ofEach } from '../../db/each-collection.ts';
import type { Tx } from '../../db/schema.ts';
import { everything } from '../../model/filter.ts';
import { indexTerms } from '../../model/title.ts';
import type { IndexScope, SearchIndex, Sight } from '../ports.ts';
import { allowedNumbers, isRestricted, restrictionKey } from './allowed.ts';
import { DEFAULT_BUDGET, requireRoom, residents } from './budget.ts';
import { compareMemory, NOT_HELD, storedChunks } from './compare.ts';
import { toRange } from './cosines.ts';
import { dialectOf } from './dialect.ts';
import { createExactMemory, exactBytes } from './exact-memory.ts';
import { examinePage } from './examine.ts';
import { addToTotals, createIndexRow, dropIndexRow, touchIndex } from './index-rows.ts';
import { readKinds } from './kinds.ts';
import { createLooks } from './looks.ts';
import { endNumber, firstNumber } from './numbers.ts';
import { discardRows, GONE_KEPT_MS, storedVectors, toVector, writeRows } from './rows.ts';
import { type LookPart, unionOf } from './union.ts';

export interface ExactIndexOptions {
  readonly kind: DatabaseKind;
  readonly dimensions: number;
  /** All collections together may take this many bytes in memory. */
  readonly budget?: number;
}

interface ExactResident {
  /** This is the id of the collection. */
  readonly id: string;
  readonly index: number;
  readonly memory: ReturnType<typeof createExactMemory>;
  version: number;
  lastNumber: number;
  lastGone: number;
  /** The memory was last known to be up to date at this time, in milliseconds since 1970. */
  readAt: number;
  /**
   * Maps recently used restrictions to the numbers of the chunks that they allow; a change of the collection empties
   * it.
   */
  readonly allowed: LRUCache<string, ReadonlySet<number>>;
}

interface ExactSnapshot {
  readonly resident: ExactResident;
  readonly row: Awaited<ReturnType<typeof rowsOf>>[number];
}

const rowsOf = (tx: Tx, collectionIds: readonly string[]) =>
  ofEach(tx, collectionIds, (reader, id) =>
    reader.selectFrom('indexes').selectAll().where('collection_id', '=', id).execute(),
  );

const RESTRICTIONS = 4;
/** A statement reads this many chunks, so that a load does not hold all texts at once. */
const PAGE = 2000;

export function createExactIndex(options: ExactIndexOptions): SearchIndex {
  const { kind, dimensions } = options;
  const dialect = dialectOf(kind);
  const budget = options.budget ?? DEFAULT_BUDGET;
  const held = residents<ExactResident>(budget);

  const refresh = async (tx: Tx, collectionIds: readonly string[]) => {
    const rows = await rowsOf(tx, collectionIds);
    const existing = new Set(rows.map((row) => row.collection_id));
    for (const id of collectionIds) if (!existing.has(id)) held.delete(id);
    requireRoom(
      rows.map((row) => exactBytes(dimensions, row.chunks, row.terms)),
      budget,
    );
    const snapshots: ExactSnapshot[] = [];
    for (const row of rows) snapshots.push({ resident: await refreshOne(tx, row), row });
    return snapshots;
  };

  const refreshOne = async (tx: Tx, row: ExactSnapshot['row']) => {
    const { collection_id: collectionId } = row;
    const now = Date.now();
    let resident = held.get(collectionId);
    if (resident && resident.version !== row.version && now - resident.readAt > GONE_KEPT_MS / 2)
      resident = undefined;
    if (resident?.index !== row.number) resident = undefined;
    if (resident?.version !== row.version) {
      held.admit(collectionId, exactBytes(dimensions, row.chunks, row.terms));
      // An incomplete refresh must not be used, so the resident is held again only when the refresh is complete.
      held.set(collectionId, undefined);
      resident ??= await emptyResident(tx, collectionId, row.number);
      await catchUp(tx, resident);
      resident.version = row.version;
    }
    resident.readAt = now;
    held.set(collectionId, resident);
    return resident;
  };

  const allowedOf = async (tx: Tx, resident: ExactResident, query: IndexScope) => {
    const key = restrictionKey(query);
    let numbers = resident.allowed.get(key);
    if (!numbers) {
      const { rows } = await allowedNumbers(kind, resident, query).execute(tx);
      numbers = new Set(rows.map((row) => row.n));
      resident.allowed.set(key, numbers);
    }
    return numbers;
  };

  /** Returns a test that says whether a chunk may be returned. */
  const passTest = async (tx: Tx, resident: ExactResident, scope: IndexScope) => {
    const live = new Set(scope.live);
    const allowed = isRestricted(scope) ? await allowedOf(tx, resident, scope) : undefined;
    return (n: number, connection: string) => live.has(connection) && (!allowed || allowed.has(n));
  };

  /** Returns a test that says whether a chunk counts when words are weighed for an asker. */
  const countsTest = async (tx: Tx, resident: ExactResident, { live, principals }: Sight) =>
    principals === null
      ? () => true
      : passTest(tx, resident, { live, principals, filter: everything });

  const partOf = (tx: Tx, { resident, row }: ExactSnapshot): LookPart => ({
    collectionId: row.collection_id,
    index: row.number,
    version: resident.version,
    chunks: row.chunks,
    cosines: toRange(row),

    async candidates(query) {
      const { arm, depth } = query;
      const pass = await passTest(tx, resident, query);
      const counts = await countsTest(tx, resident, query);
      return 'terms' in arm
        ? resident.memory.byWords(arm, depth, pass, counts)
        : resident.memory.byVector(arm.vector, depth, pass);
    },

    async count(scope) {
      const pass = await passTest(tx, resident, scope);
      const { index, memory } = resident;
      const all = memory.between(firstNumber(index) - 1, endNumber(index));
      return [...all].filter(({ n, connection }) => pass(n, connection)).length;
    },

    async totals(sight) {
      const { chunks, terms } = row;
      if (sight.principals === null) return { chunks, terms };
      return resident.memory.totals(await countsTest(tx, resident, sight));
    },

    async frequencies(terms, sight) {
      const counts = await countsTest(tx, resident, sight);
      const having = resident.memory.documentFrequencies(terms, counts);
      return new Map(terms.map((term, i) => [term, having[i]!]));
    },
  });
  const looks = createLooks(refresh);

  return {
    async create(tx, collectionId) {
      await createIndexRow(tx, collectionId);
    },
    async write(tx, scope, entities, chunks) {
      await writeRows(tx, { dialect, dimensions }, scope, entities, chunks);
    },
    touch: touchIndex,
    vectors: (reader, scope, textHashes) => storedVectors(reader, dialect, scope, textHashes),
    async drop(tx, collectionId) {
      await dropIndexRow(tx, collectionId);
    },
    maintain: async () => false,

    look: (db, collectionIds, { find, read }) =>
      looks.look(db, collectionIds, {
        find: (snapshots, tx) => find(unionOf(snapshots.map((one) => partOf(tx, one))), tx),
        read,
      }),

    warm: async () => {},
    keepSegments: async () => {},
    /** This index has no budget. */
    residentBytes: () => 0,
    evictions: () => 0,
    kinds: (db, collectionId, sight) => readKinds(db, kind, { collectionId, sight }),

    doctor: {
      examine: (reader, collectionId, after) =>
        examinePage(reader, { collectionId, dimensions }, after),
      examineMemory: async (db, collectionId, after) =>
        held.get(collectionId)
          ? looks.lookInTurn(db, collectionId, async ([found], tx) => {
              if (!found) return NOT_HELD;
              const { index, memory } = found.resident;
              const start = after ?? firstNumber(index) - 1;
              const end = endNumber(index);
              return compareMemory(memory, await storedChunks(tx, collectionId, { start, end }), {
                start,
                end,
              });
            })
          : NOT_HELD,
      forget: async (_db, collectionId) => void held.delete(collectionId),
      async discard(tx, collectionId, numbers) {
        await discardRows(tx, dialect, collectionId, numbers);
      },
      correct: addToTotals,
    },
  };
}

/**
 * Returns a resident without chunks. The existing rows of `gone`, which lists removed chunks, do not concern it, so
 * `lastGone` is the newest of them.
 */
async function emptyResident(tx: Tx, collectionId: string, index: number): Promise<ExactResident> {
  const { last } = await tx
    .selectFrom('gone')
    .select((eb) => eb.fn.coalesce(eb.fn.max('seq'), sql.lit(0)).as('last'))
    // `seq` is in the order of commits only within a collection.
    .where('collection_id', '=', collectionId)
    .executeTakeFirstOrThrow();
  return {
    id: collectionId,
    index,
    memory: createExactMemory(),
    version: -1,
    lastNumber: firstNumber(index) - 1,
    lastGone: last,
    readAt: 0,
    allowed: new LRUCache({ max: RESTRICTIONS }),
  };
}

/** Applies to the resident the chunks that were added and removed since it was last brought up to date. */
async function catchUp(tx: Tx, resident: ExactResident): Promise<void> {
  const gone = await tx
    .selectFrom('gone')
    .select(['seq', 'n'])
    .where('collection_id', '=', resident.id)
    .where('seq', '>', resident.lastGone)
    .orderBy('seq')
    .execute();
  for (const { seq, n } of gone) {
    resident.memory.remove(n);
    resident.lastGone = seq;
  }
  for (let read = PAGE; read === PAGE; ) {
    const rows = await newChunks(tx, resident);
    for (const row of rows) {
      const { n, connection_id: connection } = row;
      resident.memory.add({
        n,
        connection,
        vector: toVector(row),
        terms: indexTerms(row, row.is_titled),
      });
      resident.lastNumber = n;
    }
    read = rows.length;
  }
  resident.allowed.clear();
}

const newChunks = (tx: Tx, { id, index, lastNumber }: ExactResident) =>
  tx
    .selectFrom('chunks as c')
    .innerJoin('chunk_bodies as b', 'b.n', 'c.n')
    .innerJoin('entities as e', 'e.id', 'c.entity')
    .select([
      'c.n',
      'c.connection_id',
      'c.heading',
      'e.name',
      'b.text',
      'b.is_titled',
      'b.scale',
      'b.vector',
    ])
    .where('c.collection_id', '=', id)
    .where('b.collection_id', '=', id)
    .where('e.collection_id', '=', id)
    .where('c.n', '>', lastNumber)
    .where('b.n', '>', lastNumber)
    .where('c.n', '<', endNumber(index))
    .orderBy('c.n')
    .limit(PAGE)
    .execute();
