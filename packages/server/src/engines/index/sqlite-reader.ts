/**
 * Reads the index of a SQLite database: words from its full-text tables, vectors from memory.
 *
 * The reader has a connection of its own and answers every question within one read transaction, which first looks
 * at the version of the collection. If it has changed, the reader reads the chunks that came and went since, so
 * that rows, words and memory belong to one commit.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Schema } from '../../db/schema.ts';
import { isBusy, openSqlite } from '../../db/sqlite.ts';
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
import { compareMemory, NOT_HELD, type StoredChunk } from './compare.ts';
import { EXAMINED } from './examine.ts';
import { kindsSql, rememberKinds } from './kinds.ts';
import {
  addMask,
  countPassing,
  lacking,
  NOTHING,
  passOf,
  statisticsOf,
  type Weights,
  weightsOf,
} from './masks.ts';
import {
  addChunks,
  createResidents,
  type GoneRow,
  type IndexRow,
  nearest,
  type Resident,
  type ResidentChunkRow,
  type ResidentsOptions,
  removeGone,
} from './residents.ts';
import { endNumber, firstNumber } from './rows.ts';
import { createSqliteWords } from './sqlite-words.ts';

export interface ReaderOptions extends ResidentsOptions {
  readonly path: string;
  readonly dimensions: number;
}

/** One read transaction sees this state of a collection. */
interface CollectionSnapshot {
  readonly resident: Resident;
  readonly row: IndexRow;
}

const PATIENCE_MS = 5000;
const CACHED_STATEMENTS = 300;

export function createSqliteReader(options: ReaderOptions) {
  const { dimensions } = options;
  const held = createResidents(options);
  const statements = new LRUCache<string, StatementSync>({ max: CACHED_STATEMENTS });
  let database: DatabaseSync | undefined;

  const open = (): DatabaseSync => {
    if (database) return database;
    database = openSqlite(options.path, { readOnly: true });
    database.exec('pragma mmap_size = 1073741824');
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
  const run = <Row>(statement: RawBuilder<Row>): Row[] => {
    const { sql, parameters } = statement.compile(compiler);
    return all<Row>(sql, ...parameters);
  };
  const kinds = rememberKinds();
  const words = createSqliteWords({ all, exec: (sql) => open().exec(sql) });

  /** Applies the chunks that came and went since the resident was last read. */
  const catchUp = (resident: Resident, collectionId: string) => {
    resident.lastGone ??= all<{ seq: number }>(LAST_GONE)[0]?.seq ?? 0;
    removeGone(resident, all<GoneRow>(GONE, collectionId, resident.lastGone));
    const rows = prepare(CHUNKS).iterate(resident.lastNumber, endNumber(resident.index));
    addChunks(resident, rows as Iterable<unknown> as Iterable<ResidentChunkRow>);
  };

  const refresh = (collectionId: string): CollectionSnapshot | undefined => {
    const [row] = all<IndexRow>(INDEX, collectionId);
    if (!row) {
      held.forget(collectionId);
      return undefined;
    }
    const resident = held.take(collectionId, row, dimensions);
    if (resident.version !== row.version) catchUp(resident, collectionId);
    held.keep(collectionId, resident, row.version);
    return { resident, row };
  };

  /** Returns a test that says whether a slot may be returned; undefined means that all may. */
  const passOver = (resident: Resident, scope: IndexScope) => {
    for (const restriction of lacking(resident, scope)) {
      const rows = run(allowedNumbers('sqlite', resident.index, restriction));
      const numbers = rows.map((row) => row.n);
      addMask(resident, restriction, numbers);
    }
    return passOf(resident, scope);
  };

  /** Returns the weights of words for an asker. */
  const weightsFor = (resident: Resident, row: IndexRow, { live, principals }: Sight): Weights => {
    const sight = { live, principals };
    const counts =
      principals === null ? undefined : passOver(resident, { ...sight, filter: everything });
    return weightsOf(resident, sight, row, counts);
  };

  /**
   * Runs `work` in one read transaction. A writer holds the file for a moment when it opens the file, so a busy
   * file is tried again.
   */
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
        const copy = refresh(collectionId);
        if (!copy) return [];
        const { arm, depth } = query;
        const { resident, row } = copy;
        const pass = passOver(resident, query);
        return 'terms' in arm
          ? words.best(resident, arm.terms, depth, pass, weightsFor(resident, row, query))
          : nearest(resident, arm.vector, depth, pass);
      }),

    kinds: (collectionId: string, sight: Sight): Promise<readonly ConnectionEntityType[]> =>
      reading(() => {
        const [row] = all<IndexRow>(INDEX, collectionId);
        if (!row) return [];
        const at = { collectionId, version: row.version, sight };
        const found = kinds.get(at) ?? run(kindsSql('sqlite', sight));
        kinds.set(at, found);
        return found;
      }),

    count: (collectionId: string, scope: IndexScope): Promise<number> =>
      reading(() => {
        const copy = refresh(collectionId);
        return copy ? countPassing(copy.resident, passOver(copy.resident, scope)) : 0;
      }),

    statistics: (
      collectionId: string,
      terms: readonly string[],
      sight: Sight,
    ): Promise<VersionedStatistics> =>
      reading(() => {
        const copy = refresh(collectionId);
        if (!copy)
          return {
            version: 0,
            ...statisticsOf(
              NOTHING,
              terms.map(() => 0),
            ),
          };
        const { resident, row } = copy;
        const weights = weightsFor(resident, row, sight);
        const frequencies = terms.map((term) => words.frequency(resident, term, weights));
        return { version: row.version, ...statisticsOf(weights.totals, frequencies) };
      }),

    /** Compares the copy of the collection in memory, brought up to date, with the rows of the same commit. */
    compare: (collectionId: string, after: number | null): Promise<MemoryPage> =>
      reading(() => {
        const copy = held.has(collectionId) && refresh(collectionId);
        if (!copy) return NOT_HELD;
        const { resident } = copy;
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

/** The compiler turns fragments into statements and runs nothing. */
const compiler = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
