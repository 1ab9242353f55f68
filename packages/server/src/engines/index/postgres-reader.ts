/**
 * Reads the index of a PostgreSQL database in the form that each collection has (postgres-forms.ts).
 *
 * Every question is answered within one read transaction, which first looks at the version of the collection. If
 * it has changed, the chunks that came and went since are read first. Questions about one collection wait for each
 * other, because they share its memory.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema, Tx } from '../../db/schema.ts';
import { everything } from '../../model/filter.ts';
import type {
  ConnectionEntityType,
  IndexQuery,
  IndexScope,
  MemoryPage,
  Sight,
  VersionedStatistics,
} from '../ports.ts';
import { allowedNumbers } from './allowed.ts';
import { distinctTerms } from './askable.ts';
import { compareMemory, NOT_HELD, storedChunks } from './compare.ts';
import { kindsSql, rememberKinds } from './kinds.ts';
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
import { byVector, byWords, frequenciesOf, type IndexSnapshot } from './postgres-arms.ts';
import type { Forms } from './postgres-forms.ts';
import {
  addChunks,
  createResidents,
  type IndexRow,
  type Resident,
  type ResidentChunkRow,
  type ResidentsOptions,
  removeGone,
} from './residents.ts';
import { endNumber, firstNumber } from './rows.ts';
import { turns } from './turns.ts';

export interface PostgresReaderOptions extends ResidentsOptions {
  readonly db: Kysely<Schema>;
  readonly dimensions: number;
}

/** A statement reads this many chunks, so that a load does not hold all of them twice. */
const PAGE = 2000;
const UNDEFINED_TABLE = '42P01';

export function createPostgresReader({ db, dimensions, ...options }: PostgresReaderOptions) {
  const held = createResidents(options);
  const inTurn = turns();
  const kinds = rememberKinds();

  const refresh = async (tx: Tx, collectionId: string): Promise<IndexSnapshot | undefined> => {
    const row = await readRow(tx, collectionId);
    if (!row) {
      held.forget(collectionId);
      return undefined;
    }
    const resident = held.take(collectionId, row, row.vectors === 'scan' ? dimensions : 0);
    if (resident.version !== row.version) await catchUp(tx, resident, collectionId);
    held.keep(collectionId, resident, row.version);
    return { tx, row, resident };
  };

  const reading = <T>(
    collectionId: string,
    work: (view: IndexSnapshot | undefined) => Promise<T> | T,
  ): Promise<T> => {
    const once = () =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (tx) => work(await refresh(tx, collectionId)));
    return inTurn(collectionId, () =>
      once().catch((error: { code?: unknown }) => {
        // Tables do not belong to the snapshot: the collection has been dropped since, as a second look shows.
        if (error.code === UNDEFINED_TABLE) return once();
        throw error;
      }),
    );
  };

  return {
    candidates: (collectionId: string, query: IndexQuery): Promise<number[]> =>
      reading(collectionId, async (view) => {
        if (!view) return [];
        const { arm, depth } = query;
        const pass = await passOver(view, query);
        return 'terms' in arm
          ? byWords(view, distinctTerms(arm.terms), depth, pass, await weightsFor(view, query))
          : byVector(view, arm.vector, query, pass);
      }),

    kinds: async (collectionId: string, sight: Sight): Promise<readonly ConnectionEntityType[]> => {
      const row = await db
        .selectFrom('indexes')
        .select('version')
        .where('collection_id', '=', collectionId)
        .executeTakeFirst();
      if (!row) return [];
      // The answer may be newer than the version, but then no later question has this version.
      const at = { collectionId, version: row.version, sight };
      const found = kinds.get(at) ?? (await kindsSql('postgres', sight).execute(db)).rows;
      kinds.set(at, found);
      return found;
    },

    count: (collectionId: string, scope: IndexScope): Promise<number> =>
      reading(collectionId, async (view) =>
        view ? countPassing(view.resident, await passOver(view, scope)) : 0,
      ),

    statistics: (
      collectionId: string,
      terms: readonly string[],
      sight: Sight,
    ): Promise<VersionedStatistics> =>
      reading(collectionId, async (view) => {
        if (!view)
          return {
            version: 0,
            ...statisticsOf(
              NOTHING,
              terms.map(() => 0),
            ),
          };
        const weights = await weightsFor(view, sight);
        const frequencies = await frequenciesOf(view, distinctTerms(terms), weights);
        const having = terms.map((term) => frequencies.get(term) ?? 0);
        return { version: view.row.version, ...statisticsOf(weights.totals, having) };
      }),

    /** Compares the copy of the collection in memory, brought up to date, with the rows of the same commit. */
    compare: async (collectionId: string, after: number | null): Promise<MemoryPage> =>
      held.has(collectionId)
        ? reading(collectionId, async (view) => {
            if (!view || view.resident.dimensions === 0) return NOT_HELD;
            const start = after ?? firstNumber(view.row.number) - 1;
            const end = endNumber(view.row.number);
            const rows = await storedChunks(view.tx, start, end);
            return compareMemory(view.resident.slots, rows, { start, end });
          })
        : NOT_HELD,

    forget: held.forget,
  };
}

async function readRow(tx: Tx, collectionId: string): Promise<(IndexRow & Forms) | undefined> {
  // Compiling a plan, or passing over the index, costs more than it saves in questions this short.
  await sql`select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`.execute(
    tx,
  );
  const row = await tx
    .selectFrom('indexes as i')
    .leftJoin('index_forms as f', 'f.number', 'i.number')
    .select(['i.number', 'i.version', 'i.chunks', 'i.terms', 'f.words', 'f.vectors'])
    .where('i.collection_id', '=', collectionId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { words, vectors } = row;
  if (words === null || vectors === null)
    throw new Error(`index ${row.number} has no words: it must be prepared first`);
  return { ...row, words, vectors };
}

/** Applies the chunks that came and went since the resident was last read. */
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
      // The condition follows from the join, but the planner does not know it and would begin with the first of
      // all rows.
      .where('b.n', '>', resident.lastNumber)
      .select(['b.scale', 'b.vector'])
      .execute()
  );
}

/** Returns a test that says whether a slot may be returned; undefined means that all may. */
async function passOver(
  { tx, resident }: IndexSnapshot,
  scope: IndexScope,
): Promise<SlotTest | undefined> {
  for (const restriction of lacking(resident, scope)) {
    const { rows } = await allowedNumbers('postgres', resident.index, restriction).execute(tx);
    const numbers = rows.map((row) => row.n);
    addMask(resident, restriction, numbers);
  }
  return passOf(resident, scope);
}

/** Returns the weights of words for an asker. */
async function weightsFor(view: IndexSnapshot, { live, principals }: Sight): Promise<Weights> {
  const sight = { live, principals };
  const counts =
    principals === null ? undefined : await passOver(view, { ...sight, filter: everything });
  return weightsOf(view.resident, sight, view.row, counts);
}
