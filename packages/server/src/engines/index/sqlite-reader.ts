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
import type { IndexQuery, IndexScope, MemoryPage, VersionedStatistics } from '../ports.ts';
import { allowedNumbers } from './allowed.ts';
import { distinctTerms } from './askable.ts';
import { compareMemory, NOT_HELD, type StoredChunk } from './compare.ts';
import { EXAMINED } from './examine.ts';
import { frequencySql, matchAny, wordsSql } from './fts.ts';
import {
  addChunks,
  addMask,
  type ChunkRow,
  countPassing,
  createResidents,
  type GoneRow,
  type IndexRow,
  lacksMask,
  nearest,
  type Pass,
  passOf,
  type Resident,
  type ResidentsOptions,
  removeGone,
} from './residents.ts';
import { endNumber, firstNumber } from './rows.ts';

export interface ReaderOptions extends ResidentsOptions {
  readonly path: string;
  readonly dimensions: number;
}

const PATIENCE_MS = 5000;
const CACHED_STATEMENTS = 300;

export function createSqliteReader(options: ReaderOptions) {
  const { dimensions } = options;
  const held = createResidents(options);
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

  /** Applies what came and went since the resident was last read. */
  const catchUp = (resident: Resident, collectionId: string) => {
    resident.lastGone ??= all<{ seq: number }>(LAST_GONE)[0]?.seq ?? 0;
    removeGone(resident, all<GoneRow>(GONE, collectionId, resident.lastGone));
    const rows = prepare(CHUNKS).iterate(resident.lastNumber, endNumber(resident.index));
    addChunks(resident, rows as Iterable<unknown> as Iterable<ChunkRow>);
  };

  const refresh = (collectionId: string): Resident | undefined => {
    const [row] = all<IndexRow>(INDEX, collectionId);
    if (!row) {
      held.forget(collectionId);
      return undefined;
    }
    const resident = held.take(collectionId, row, dimensions);
    if (resident.version !== row.version) catchUp(resident, collectionId);
    held.keep(collectionId, resident, row.version);
    return resident;
  };

  /** Whether a slot may be given; undefined when all may. */
  const passOver = (resident: Resident, query: IndexScope) => {
    if (lacksMask(resident, query)) {
      const { sql, parameters } = allowedNumbers('sqlite', resident.index, query).compile(compiler);
      const rows = all<{ n: number }>(sql, ...parameters);
      addMask(
        resident,
        query,
        rows.map((row) => row.n),
      );
    }
    return passOf(resident, query);
  };

  const byWords = (
    resident: Resident,
    terms: readonly string[],
    depth: number,
    passes: Pass | undefined,
  ): number[] => {
    const { slots, index } = resident;
    const known = distinctTerms(terms);
    if (known.length === 0) return [];
    if (passes)
      pass = (n) => {
        const slot = slots.find(n);
        return slot >= 0 && passes(slot);
      };
    const sql = wordsSql(index, passes !== undefined);
    return all<{ n: number }>(sql, matchAny(known), depth).map((row) => row.n);
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
        const passes = passOver(resident, query);
        return 'terms' in query.arm
          ? byWords(resident, query.arm.terms, query.depth, passes)
          : nearest(resident, query.arm.vector, query.depth, passes);
      }),

    count: (collectionId: string, scope: IndexScope): Promise<number> =>
      reading(() => {
        const resident = refresh(collectionId);
        return resident ? countPassing(resident, passOver(resident, scope)) : 0;
      }),

    statistics: (collectionId: string, terms: readonly string[]): Promise<VersionedStatistics> =>
      reading(() => {
        const resident = refresh(collectionId);
        const [row] = all<IndexRow>(INDEX, collectionId);
        return {
          version: row?.version ?? 0,
          chunks: row?.chunks ?? 0,
          averageLength: row && row.chunks > 0 ? row.terms / row.chunks : 0,
          documentFrequencies: terms.map((term) => (resident ? frequency(resident, term) : 0)),
        };
      }),

    /** What is held of the collection, brought up to date, against the rows of the same commit. */
    compare: (collectionId: string, after: number | null): Promise<MemoryPage> =>
      reading(() => {
        const resident = held.has(collectionId) && refresh(collectionId);
        if (!resident) return NOT_HELD;
        const start = after ?? firstNumber(resident.index) - 1;
        const end = endNumber(resident.index);
        const rows = all<StoredChunk>(COMPARED, start, end, EXAMINED);
        return compareMemory(resident.slots, rows, { start, end });
      }),

    forget: held.forget,

    close(): void {
      statements.clear();
      database?.close();
      database = undefined;
    },
  };
}

const COMPARED = `select c.n, c.entity, c.connection_id, b.scale, b.vector
  from chunks c join chunk_bodies b on b.n = c.n where c.n > ? and c.n < ? order by c.n limit ?`;

const INDEX = 'select number, version, chunks, terms from indexes where collection_id = ?';
const LAST_GONE = 'select max(seq) as seq from gone';
const GONE = 'select seq, n from gone where collection_id = ? and seq > ? order by seq';
const CHUNKS = `select c.n, c.connection_id, c.length, b.scale, b.vector
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
