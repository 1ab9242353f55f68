/** Contents keep every value on their way through both databases and files. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { withContents } from '../../backup/contents.ts';
import { type CopyPart, digestOfTables } from '../../backup/parts.ts';
import { readBackup } from '../../backup/read-file.ts';
import { type TableShape, tableShapes } from '../../db/catalog.ts';
import { COPIED_TABLES } from '../../db/copied-tables.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { awkwardContents } from './awkward.ts';
import {
  backUpInto,
  type EmptyDatabase,
  MIGRATIONS,
  openEmptyPostgres,
  openEmptySqlite,
  restoreFrom,
  rowsOf,
} from './copies.ts';

describe('the contents of a database', () => {
  let shapes: readonly TableShape[];
  let folder: string;
  const opened: EmptyDatabase[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-backup-'));
    const migrated = await must(DATABASES[0]).open();
    shapes = await tableShapes(migrated.db, migrated.kind, COPIED_TABLES);
    await migrated.close();
  });
  after(async () => {
    for (const database of opened) await database.close();
    rmSync(folder, { recursive: true });
  });

  const open = async (make: () => Promise<EmptyDatabase>): Promise<EmptyDatabase> => {
    const database = await make();
    opened.push(database);
    return database;
  };
  const contentsOf = (database: EmptyDatabase) =>
    withContents({ db: database.db(), kind: database.kind }, ({ parts }) => rowsOf(parts));

  it('keep every value from SQLite to PostgreSQL and back, by files', async () => {
    const rowsIn = () => awkwardContents(shapes, () => ({ rows: 5 }));
    const expected = await rowsOf(rowsIn());
    const first = await open(openEmptySqlite);
    const given = await first.fill({ migrations: MIGRATIONS, parts: rowsIn() });
    const digest = digestOfTables(given);
    // SQLite has no negative zero.
    const withoutMinus = (rows: typeof expected) =>
      Object.fromEntries(
        Object.entries(rows).map(([name, of]) => [
          name,
          of.map((row) => row.replaceAll(/"-0"/g, '0')).toSorted(),
        ]),
      );
    assert.deepEqual(await contentsOf(first), withoutMinus(expected));

    const one = join(folder, 'one');
    const written = await backUpInto(one, { db: first.db(), kind: 'sqlite' });
    assert.equal(written.digest, digest);
    assert.equal(written.rows, 5 * COPIED_TABLES.length);
    assert.deepEqual(await rowsOf((await readBackup(one)).parts), withoutMinus(expected));

    const second = await open(openEmptyPostgres);
    assert.equal(await restoreFrom(one, second), digest);
    const two = join(folder, 'two');
    assert.equal((await backUpInto(two, { db: second.db(), kind: 'postgres' })).digest, digest);

    const third = await open(openEmptySqlite);
    assert.equal(await restoreFrom(two, third), digest);
    assert.equal(
      (await backUpInto(join(folder, 'three'), { db: third.db(), kind: 'sqlite' })).digest,
      digest,
    );
  });

  it('come in pages, and a page of large rows has few of them', async () => {
    const MIB = 2 ** 20;
    const sizes: Readonly<Record<string, { rows: number; bytes?: number }>> = {
      chunk_bodies: { rows: 3001 },
      pushes: { rows: 5, bytes: 3 * MIB },
    };
    const rowsIn = () => awkwardContents(shapes, (table) => sizes[table] ?? { rows: 0 });
    for (const make of [openEmptySqlite, openEmptyPostgres]) {
      const database = await open(make);
      await database.fill({ migrations: MIGRATIONS, parts: rowsIn() });
      const pages: Record<string, number[]> = {};
      const numbers = new Set<unknown>();
      await withContents({ db: database.db(), kind: database.kind }, async ({ parts }) => {
        let shape: TableShape | undefined;
        for await (const part of parts as AsyncIterable<CopyPart>) {
          if ('table' in part) shape = part.table;
          if (!('rows' in part)) continue;
          const { name, columns } = must(shape);
          pages[name] = [...(pages[name] ?? []), part.rows.length];
          const at = Object.keys(columns).indexOf('n');
          if (name === 'chunk_bodies') for (const row of part.rows) numbers.add(row[at]);
        }
      });
      assert.deepEqual(pages.chunk_bodies, [2000, 1001], database.kind);
      assert.equal(numbers.size, 3001);
      // A row of `pushes` has two values of bytes.
      assert.deepEqual(pages.pushes, Array(5).fill(1), database.kind);
    }
  });
});
