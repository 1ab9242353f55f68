/**
 * Reads the index of a SQLite database: words from its full-text tables, vectors from memory.
 *
 * It has a connection of its own and answers every question within one read transaction, which begins
 * with a look at the collection's version. If that has changed it reads what came and went since, so
 * rows, words and memory are of one commit.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Schema } from '../../db/schema.ts';
import { isBusy, openSqlite } from '../../db/sqlite.ts';
import type { IndexQuery, MemoryPage, Statistics } from '../ports.ts';
import { allowedNumbers, isRestricted, restrictionKey } from './allowed.ts';
import { residents } from './budget.ts';
import { compareMemory, NOT_HELD } from './compare.ts';
import { EXAMINED } from './examine.ts';
import { distinctTerms, frequencySql, matchAny, wordsSql } from './fts.ts';
import { type Scan, type ScanMemory, scanOver } from './kernel.ts';
import { endNumber, firstNumber, GONE_KEPT_MS, toVector } from './rows.ts';
import { createSlots, NOBODY, type Slots, slotsBytes } from './slots.ts';

export interface ReaderOptions {
  readonly path: string;
  readonly dimensions: number;
  /** Bytes that the vectors of all collections may take in memory together. */
  readonly budget: number;
  readonly scanOver?: (memory: ScanMemory) => Scan;
}

interface IndexRow {
  readonly number: number;
  readonly version: number;
  readonly chunks: number;
  readonly terms: number;
}

interface Resident {
  readonly index: number;
  readonly slots: Slots;
  version: number;
  lastNumber: number;
  lastGone: number;
  /** When it was last known to be up to date. */
  readAt: number;
  /** By slot, of the restrictions asked for since the last change. */
  readonly masks: LRUCache<string, Uint8Array>;
  readonly frequencies: LRUCache<string, number>;
}

const PATIENCE_MS = 5000;
const CACHED_STATEMENTS = 300;
const MASKS = 4;
const FREQUENCIES = 10_000;

export function createSqliteReader(options: ReaderOptions) {
  const { dimensions } = options;
  const held = residents<Resident>(options.budget);
  const statements = new LRUCache<string, StatementSync>({ max: CACHED_STATEMENTS });
  let database: DatabaseSync | undefined;
  let pass: (n: number) => boolean = () => false;

  const open = (): DatabaseSync => {
    if (database) return database;
    database = openSqlite(options.path, { readOnly: true });
    database.exec('pragma mmap_size = 1073741824');
    database.function('pass', (n) => (pass(n as number) ? 1 : 0));
    return database;
  };
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = open().prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const all = <Row>(sql: string, ...parameters: readonly unknown[]) =>
    prepare(sql).all(...(parameters as SQLInputValue[])) as Row[];

  const emptyResident = (row: IndexRow): Resident => {
    const [last] = all<{ seq: number | null }>('select max(seq) as seq from gone');
    return {
      index: row.number,
      slots: createSlots(dimensions, options.scanOver ?? scanOver),
      version: -1,
      lastNumber: firstNumber(row.number) - 1,
      lastGone: last?.seq ?? 0,
      readAt: 0,
      masks: new LRUCache({ max: MASKS }),
      frequencies: new LRUCache({ max: FREQUENCIES }),
    };
  };

  /** Applies what came and went since the resident was last read. */
  const catchUp = (resident: Resident, collectionId: string) => {
    const { slots, index } = resident;
    for (const { seq, n } of all<{ seq: number; n: number }>(
      GONE,
      collectionId,
      resident.lastGone,
    )) {
      slots.remove(n);
      resident.lastGone = seq;
    }
    slots.compact();
    const rows = prepare(CHUNKS).iterate(resident.lastNumber, endNumber(index));
    for (const row of rows as Iterable<ChunkRow>) {
      slots.append(row.n, row.connection_id, toVector(row));
      resident.lastNumber = row.n;
    }
    resident.masks.clear();
    resident.frequencies.clear();
  };

  const refresh = (collectionId: string): Resident | undefined => {
    const [row] = all<IndexRow>(INDEX, collectionId);
    if (!row) {
      held.delete(collectionId);
      return undefined;
    }
    const now = Date.now();
    let resident = held.get(collectionId);
    if (resident && resident.version !== row.version && now - resident.readAt > GONE_KEPT_MS / 2)
      resident = undefined;
    if (resident?.index !== row.number) resident = undefined;
    if (resident?.version !== row.version) {
      held.admit(collectionId, slotsBytes(dimensions, row.chunks));
      // Half a refresh is worse than none: it is held again once it is complete.
      held.set(collectionId, undefined);
      resident ??= emptyResident(row);
      catchUp(resident, collectionId);
      resident.version = row.version;
    }
    resident.readAt = now;
    held.set(collectionId, resident);
    return resident;
  };

  const maskOf = (resident: Resident, query: IndexQuery): Uint8Array => {
    const key = restrictionKey(query);
    let mask = resident.masks.get(key);
    if (!mask) {
      mask = new Uint8Array(resident.slots.size);
      const { sql, parameters } = allowedNumbers('sqlite', resident.index, query).compile(compiler);
      for (const { n } of all<{ n: number }>(sql, ...parameters)) mask[resident.slots.find(n)] = 1;
      resident.masks.set(key, mask);
    }
    return mask;
  };

  /** Whether a slot may be given; undefined when all may. */
  const passOf = (resident: Resident, query: IndexQuery) => {
    const { slots } = resident;
    const ids = new Set(query.live);
    const live = slots.connections.map((id, index) => index !== NOBODY && ids.has(id));
    const restricted = isRestricted(query);
    if (!restricted && live.every((isLive, index) => isLive || index === NOBODY)) return undefined;
    const mask = restricted ? maskOf(resident, query) : undefined;
    return (slot: number) => live[slots.connection(slot)]! && (!mask || mask[slot] === 1);
  };

  const byWords = (resident: Resident, terms: readonly string[], query: IndexQuery): number[] => {
    const { slots, index } = resident;
    const known = distinctTerms(terms);
    if (known.length === 0) return [];
    const passes = passOf(resident, query);
    if (passes)
      pass = (n) => {
        const slot = slots.find(n);
        return slot >= 0 && passes(slot);
      };
    const sql = wordsSql(index, passes !== undefined);
    return all<{ n: number }>(sql, matchAny(known), query.depth).map((row) => row.n);
  };

  const frequency = (resident: Resident, term: string): number => {
    let chunks = resident.frequencies.get(term);
    if (chunks === undefined) {
      const [known] = distinctTerms([term]);
      const sql = frequencySql(resident.index);
      chunks = known ? (all<{ chunks: number }>(sql, matchAny([known]))[0]?.chunks ?? 0) : 0;
      resident.frequencies.set(term, chunks);
    }
    return chunks;
  };

  /** Runs `work` in one read transaction; a writer may hold the file for a moment when it opens. */
  const reading = async <T>(work: () => T): Promise<T> => {
    for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(1)) {
      try {
        const reader = open();
        reader.exec('begin');
        try {
          return work();
        } finally {
          reader.exec('commit');
        }
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
    }
  };

  return {
    candidates: (collectionId: string, query: IndexQuery): Promise<number[]> =>
      reading(() => {
        const resident = refresh(collectionId);
        if (!resident) return [];
        const { arm, depth } = query;
        if ('terms' in arm) return byWords(resident, arm.terms, query);
        const { slots } = resident;
        const passes = passOf(resident, query) ?? (() => true);
        return slots.nearest(arm.vector, depth, passes).map((slot) => slots.number(slot));
      }),

    statistics: (collectionId: string, terms: readonly string[]): Promise<Statistics> =>
      reading(() => {
        const resident = refresh(collectionId);
        const [row] = all<IndexRow>(INDEX, collectionId);
        return {
          chunks: row?.chunks ?? 0,
          averageLength: row && row.chunks > 0 ? row.terms / row.chunks : 0,
          documentFrequencies: terms.map((term) => (resident ? frequency(resident, term) : 0)),
        };
      }),

    /** What is held of the collection, brought up to date, against the rows of the same commit. */
    compare: (collectionId: string, after: number | null): Promise<MemoryPage> =>
      reading(() => {
        const resident = held.get(collectionId) && refresh(collectionId);
        if (!resident) return NOT_HELD;
        const start = after ?? firstNumber(resident.index) - 1;
        const end = endNumber(resident.index);
        const rows = all<ChunkRow & { entity: string }>(COMPARED, start, end, EXAMINED);
        return compareMemory(resident.slots, rows, { start, end });
      }),

    forget: held.delete,

    close(): void {
      statements.clear();
      database?.close();
      database = undefined;
    },
  };
}

const COMPARED = `select c.n, c.entity, c.connection_id, b.scale, b.vector
  from chunks c join chunk_bodies b on b.n = c.n where c.n > ? and c.n < ? order by c.n limit ?`;

interface ChunkRow {
  readonly n: number;
  readonly connection_id: string;
  readonly scale: number;
  readonly vector: Uint8Array;
}

const INDEX = 'select number, version, chunks, terms from indexes where collection_id = ?';
const GONE = 'select seq, n from gone where collection_id = ? and seq > ? order by seq';
const CHUNKS = `select c.n, c.connection_id, b.scale, b.vector
  from chunks c join chunk_bodies b on b.n = c.n where c.n > ? and c.n < ? order by c.n`;

/** Turns fragments into statements; runs nothing. */
const compiler = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
