/** Lists the kinds of search index on which the tests of the index run. */
import { after, before, describe } from 'node:test';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { createExactIndex } from '../../engines/index/exact.ts';
import { createPostgresIndex } from '../../engines/index/postgres.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { must } from '../../util.ts';
import { DATABASES, openPglite, type TestDatabase } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { type Connection, createWorld, DIMENSIONS, type World } from './world.ts';

export interface IndexKind {
  readonly name: string;
  open(): Promise<TestDatabase>;
  create(database: TestDatabase, options?: { budget: number }): SearchIndex;
}

/** The collection is empty and has one connection, in a database that the tests of a suite share. */
export interface Fresh {
  readonly database: TestDatabase;
  readonly index: SearchIndex;
  readonly world: World;
  readonly collection: string;
  readonly docs: Connection;
}

const onPostgres: IndexKind['create'] = (_, options) =>
  createPostgresIndex({ dimensions: DIMENSIONS, ...options });

/** These kinds find exactly the candidates that the exact index finds. */
export const INDEX_KINDS: readonly IndexKind[] = [
  {
    name: 'sqlite',
    open: must(DATABASES[0]).open,
    create: (_, options) => createSqliteIndex({ dimensions: DIMENSIONS, ...options }),
  },
  {
    name: 'postgres',
    open: must(DATABASES[1]).open,
    create: onPostgres,
  },
];
const both: IndexKind = {
  name: 'postgres with both',
  open: () => openPglite({ pg_textsearch, vector }),
  create: onPostgres,
};
/** These kinds get their candidates from an index of an extension, which may miss some. */
export const EXTENDED_KINDS: readonly IndexKind[] = isSmokeEnough(both)
  ? [both]
  : [
      { name: 'postgres with pgvector', open: () => openPglite({ vector }), create: onPostgres },
      {
        name: 'postgres with pg_textsearch',
        open: () => openPglite({ pg_textsearch }),
        create: onPostgres,
      },
      both,
    ];
/**
 * The extensions take seconds to write a thousand chunks, so their tests write fewer. Only `npm run test:full` writes
 * all of them, once.
 */
export const writesSlowly = (kind: IndexKind): boolean =>
  EXTENDED_KINDS.includes(kind) && (isSmokeEnough(kind) || kind !== both);
/** The other kinds are compared with these. */
const ORACLES = DATABASES.filter((database) => !isSmokeEnough(database)).map(
  ({ name, open }): IndexKind => ({
    name: `exact over ${name}`,
    open,
    create: ({ kind }, options) => createExactIndex({ kind, dimensions: DIMENSIONS, ...options }),
  }),
);

/** Runs the tests on every kind. */
export function describeIndexes(
  what: string,
  tests: (fresh: () => Promise<Fresh>, kind: IndexKind) => void,
): void {
  for (const kind of [...INDEX_KINDS, ...EXTENDED_KINDS, ...ORACLES])
    describe(`${what}: ${kind.name}`, () => {
      let database: TestDatabase;
      let index: SearchIndex;
      let world: World;

      before(async () => {
        database = await kind.open();
        index = kind.create(database);
        world = await createWorld(database, index);
      });
      after(async () => {
        await database.close();
      });

      tests(async () => {
        const collection = await world.collection();
        const docs = await world.connection(collection);
        return { database, index, world, collection, docs };
      }, kind);
    });
}
