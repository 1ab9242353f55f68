/** Tests that stored copies of collections are read as they were written, and that nothing deleted comes back with them. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { adoptEmbedder } from '../../engines/index/embedding.ts';
import { createResidents } from '../../engines/index/residents.ts';
import { createSegments } from '../../engines/index/segments.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import { must, newId } from '../../util.ts';
import { insertCollection, insertOrganization } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { createWorld, DIMENSIONS, type World } from './world.ts';

const AT_ONCE = { fewestChunks: 3, everyMs: 2, settledMs: 0, restMs: 0 };
const FIRST = [
  { id: 'a', texts: ['plum', 'plum plum fig'] },
  { id: 'b', texts: ['fig', 'the plum of a very long text about figs and plums'] },
  { id: 'c', texts: ['quince'] },
];

describe('stored copies of collections', () => {
  let database: TestDatabase;
  let world: World;
  let folder: string;

  before(async () => {
    database = await must(DATABASES[0]).open();
    folder = fs.mkdtempSync(join(tmpdir(), 'quarry-segments-'));
    world = await createWorld(database, plain());
  });
  after(async () => {
    await database.close();
    fs.rmSync(folder, { recursive: true });
  });

  /** Reads from the rows only. */
  const plain = () => createSqliteIndex({ dimensions: DIMENSIONS });
  /** Returns the index of a process that has just started. */
  const started = () =>
    createSqliteIndex({ dimensions: DIMENSIONS, segmentFolder: folder, keptWhen: AT_ONCE });
  const rowOf = (collection: string) =>
    database.db
      .selectFrom('indexes')
      .selectAll()
      .where('collection_id', '=', collection)
      .executeTakeFirstOrThrow();
  const pathOf = async (collection: string) =>
    join(folder, `${must((await rowOf(collection)).segment)}.segment`);

  /** Keeps segments until `done` holds. */
  async function keeping(done: () => Promise<boolean>, index = started()): Promise<void> {
    const stop = new AbortController();
    const failures: unknown[] = [];
    const kept = index.keepSegments(database.db, {
      signal: stop.signal,
      failed: (error) => failures.push(error),
      readsCollections: true,
    });
    await until(async () => failures.length > 0 || (await done()));
    stop.abort();
    await kept;
    assert.deepEqual(failures, []);
  }
  async function store(collection: string, index = started()): Promise<void> {
    await database.db
      .updateTable('indexes')
      .set({ segment: null })
      .where('collection_id', '=', collection)
      .execute();
    await keeping(async () => (await rowOf(collection)).segment !== null, index);
  }

  async function filled() {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    await world.save(docs, FIRST);
    return { collection, docs };
  }

  /** Compares what an index finds with what one finds that has read the rows. Returns what it finds for 'plum'. */
  async function found(collection: string, index = started()): Promise<string[]> {
    for (const text of ['plum', 'fig', 'quince', 'pear', 'plum fig'])
      for (const ask of ['words', 'nearest'] as const)
        assert.deepEqual(
          await world[ask](collection, text, {}, index),
          await world[ask](collection, text, {}, plain()),
          `${ask} ${text}`,
        );
    const { findings } = await index.doctor.examineMemory(database.db, collection, null);
    assert.deepEqual(findings, []);
    return world.words(collection, 'plum', {}, index);
  }

  /** Breaks the rows of words and vectors, so that only an index that has read the segment finds anything. */
  async function isReadFromSegment(collection: string): Promise<boolean> {
    const { number } = await rowOf(collection);
    const from = number * 2 ** 32;
    const bodies = database.db.selectFrom('chunk_bodies').where('n', '>=', from);
    const rows = await bodies
      .where('n', '<', from + 2 ** 32)
      .select(['n', 'terms'])
      .execute();
    const set = (n: number, terms: Uint8Array | null) =>
      database.db.updateTable('chunk_bodies').set({ terms }).where('n', '=', n).execute();
    for (const { n } of rows) await set(n, new Uint8Array());
    const index = started();
    const results = await world.words(collection, 'plum', {}, index);
    for (const { n, terms } of rows) await set(n, terms);
    return results.length > 0;
  }

  it('answer as the rows do, and take changes after them from the rows', async () => {
    const { collection, docs } = await filled();
    assert.equal(await isReadFromSegment(collection), false);
    await store(collection);
    assert.equal(await isReadFromSegment(collection), true);
    assert.equal((await found(collection)).length, 3);
    await world.save(docs, [
      { id: 'd', texts: ['plum pear'] },
      { id: 'a', texts: ['pear'] },
    ]);
    assert.deepEqual((await found(collection)).toSorted(), ['b__chunk_1', 'd__chunk_0']);
    const index = started();
    await found(collection, index);
    await world.remove(docs, ['d']);
    assert.deepEqual(await found(collection, index), ['b__chunk_1']);
  });

  it('never show what was deleted after them, also when the rows of deletions are gone', async () => {
    const { collection, docs } = await filled();
    await store(collection);
    await world.remove(docs, ['b']);
    assert.deepEqual((await found(collection)).toSorted(), ['a__chunk_0', 'a__chunk_1']);
    // They are kept for an hour. Here the clock of the copy is moved back instead.
    await database.db.deleteFrom('gone').where('collection_id', '=', collection).execute();
    const real = Date.now;
    Date.now = () => real() + 7_200_000;
    try {
      assert.deepEqual((await found(collection)).toSorted(), ['a__chunk_0', 'a__chunk_1']);
      assert.equal(await isReadFromSegment(collection), true);
    } finally {
      Date.now = real;
    }
  });

  it('are ignored when they are missing, short, changed or of another collection, and made again', async () => {
    const breaks: Record<string, (path: string) => void> = {
      missing: (path) => fs.rmSync(path),
      empty: (path) => fs.truncateSync(path, 0),
      short: (path) => fs.truncateSync(path, fs.statSync(path).size - 1),
      halved: (path) => fs.truncateSync(path, fs.statSync(path).size >> 1),
      'a folder': (path) => {
        fs.rmSync(path);
        fs.mkdirSync(path);
      },
    };
    const { collection } = await filled();
    const other = await filled();
    await store(other.collection);
    breaks['of another collection'] = (path) =>
      fs.copyFileSync(fs.globSync(`${folder}/*.segment`).find((one) => one !== path) ?? '', path);
    await store(collection);
    const whole = fs.readFileSync(await pathOf(collection));
    for (let at = 0; at < whole.length; at += 499)
      breaks[`changed at ${at}`] = (path) => {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= 1;
        fs.writeFileSync(path, bytes);
      };
    for (const [what, act] of Object.entries(breaks)) {
      const path = await pathOf(collection);
      fs.rmSync(path, { recursive: true, force: true });
      fs.writeFileSync(path, whole);
      act(path);
      assert.equal(await isReadFromSegment(collection), false, what);
    }
    const index = started();
    const broken = await rowOf(collection);
    assert.equal((await found(collection, index)).length, 3);
    await keeping(async () => (await rowOf(collection)).segment !== broken.segment, index);
    assert.equal(await isReadFromSegment(collection), true);
  });

  it('leave the file of the last one in use when the process is killed before a new one is named', async () => {
    const { collection, docs } = await filled();
    await store(collection);
    const path = await pathOf(collection);
    await world.save(docs, [{ id: 'd', texts: ['plum'] }]);
    const begun = join(folder, 'begun.segment');
    fs.copyFileSync(path, begun);
    fs.truncateSync(begun, 100);
    assert.equal((await found(collection)).length, 4);
    await store(collection);
    await until(async () => !fs.existsSync(begun));
    assert.ok(!fs.existsSync(path));
  });

  it('leave nothing behind when they cannot be stored, such as on a full disk', async () => {
    await filled();
    const before = fs.readdirSync(folder);
    await sql`create trigger refuse before update of segment on indexes
      begin select raise(abort, 'no segment today'); end`.execute(database.db);
    const stop = new AbortController();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const kept = started().keepSegments(database.db, {
      signal: stop.signal,
      failed: resolve,
      readsCollections: true,
    });
    assert.match(String(await promise), /no segment today/);
    stop.abort();
    await kept;
    await sql`drop trigger refuse`.execute(database.db);
    assert.deepEqual(fs.readdirSync(folder), before);
  });

  it('are not used by a database that does not name them, such as one that was restored', async () => {
    const { collection, docs } = await filled();
    const before = await rowOf(collection);
    await store(collection);
    await world.save(docs, [{ id: 'a', texts: ['pear'] }]);
    await store(collection);
    await database.db
      .updateTable('indexes')
      .set({ segment: before.segment })
      .where('collection_id', '=', collection)
      .execute();
    assert.equal(await isReadFromSegment(collection), false);
  });

  it('are removed with their collection, and when it has become small', async () => {
    const { collection, docs } = await filled();
    const gone = await filled();
    await store(collection);
    await store(gone.collection);
    const paths = [await pathOf(collection), await pathOf(gone.collection)];
    await world.remove(docs, ['a', 'c']);
    await world.remove(gone.docs, ['a', 'b', 'c']);
    await database.db.transaction().execute((tx) => started().drop(tx, gone.collection));
    await keeping(async () => !paths.some((path) => fs.existsSync(path)));
    assert.equal((await rowOf(collection)).segment, null);
    assert.deepEqual(await world.words(gone.collection, 'plum', {}, started()), []);
  });

  it('are not read once another model has taken the place of the old one, whose vectors they have', async () => {
    const { db } = database;
    const collection = newId();
    await insertCollection(db, { id: collection, organization_id: await insertOrganization(db) });
    await db.transaction().execute((tx) => world.index.create(tx, collection));
    await world.save(await world.connection(collection), FIRST);
    await store(collection);
    await adoptEmbedder(db, 'sqlite', { model: 'other', dimensions: DIMENSIONS });
    await found(collection);
    await keeping(async () => (await rowOf(collection)).segment !== null);
    await found(collection);
  });

  it('one that cannot be stored keeps neither others from it nor old files on the disk', async () => {
    const [bad, good, gone] = [await filled(), await filled(), await filled()];
    await store(gone.collection);
    const path = await pathOf(gone.collection);
    await database.db.transaction().execute((tx) => started().drop(tx, gone.collection));
    fs.mkdirSync(join(folder, 'folder.segment', 'below'), { recursive: true });
    const { number } = await rowOf(bad.collection);
    await database.db.updateTable('indexes').set({ segment: null }).execute();
    await sql`create trigger refuse before update of segment on indexes
      when new.number = ${sql.lit(number)}
      begin select raise(abort, 'no segment today'); end`.execute(database.db);
    const stop = new AbortController();
    const failures: unknown[] = [];
    const kept = started().keepSegments(database.db, {
      signal: stop.signal,
      failed: (error) => failures.push(error),
      readsCollections: true,
    });
    try {
      await until(
        async () => failures.length > 0 && (await rowOf(good.collection)).segment !== null,
      );
    } finally {
      stop.abort();
      await kept;
    }
    assert.match(String(failures[0]), /no segment today/);
    assert.ok(!fs.existsSync(path));
    assert.ok(!fs.existsSync(join(folder, 'folder.segment')));
    await sql`drop trigger refuse`.execute(database.db);
  });

  it('are not read again once the doctor has found the copy in memory wrong', async () => {
    const { collection } = await filled();
    await store(collection);
    const index = started();
    await found(collection, index);
    await index.doctor.forget(database.db, collection);
    const { number } = await rowOf(collection);
    await database.db
      .updateTable('chunk_bodies')
      .set({ terms: new Uint8Array() })
      .where('n', '>=', number * 2 ** 32)
      .where('n', '<', (number + 1) * 2 ** 32)
      .execute();
    assert.deepEqual(await world.words(collection, 'plum', {}, index), []);
    assert.deepEqual(await world.words(collection, 'plum', {}, started()), []);
  });

  it('are given up as soon as they are no longer wanted, and leave nothing behind', async () => {
    const { collection } = await filled();
    const row = await rowOf(collection);
    const segments = createSegments(folder);
    const copy = createResidents({ budget: 2 ** 20 }).empty(row.number, {
      dimensions: DIMENSIONS,
      holdsWords: true,
    });
    const write = (looks: number) =>
      segments.write(database.db, { row, copy, isWanted: () => looks-- > 0 });
    const before = fs.readdirSync(folder);
    let looks = 0;
    for (; !(await write(looks)); looks++) {
      assert.equal((await rowOf(collection)).segment, null, `after ${looks} looks`);
      assert.deepEqual(fs.readdirSync(folder), before, `after ${looks} looks`);
    }
    assert.ok(looks > 2);
    const fearful = createSegments(folder, 2 ** 60);
    const source = { row, copy, isWanted: () => true };
    await assert.rejects(fearful.write(database.db, source), /MB free has no room for a copy/);
    assert.deepEqual(fs.readdirSync(folder).length, before.length + 1);
    assert.notEqual((await rowOf(collection)).segment, null);
  });

  it('are not read where the end of a file that was cut says that it is long', async () => {
    const { collection } = await filled();
    await store(collection);
    const path = await pathOf(collection);
    const long = Buffer.alloc(16);
    long.writeUInt32LE(2 ** 32 - 1, 0);
    long.write('QSEGMEN1', 8);
    fs.truncateSync(path, 0);
    fs.truncateSync(path, 2 ** 30);
    fs.appendFileSync(path, long);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 1);
    assert.equal((await world.words(collection, 'plum', {}, started())).length, 3);
    clearInterval(timer);
    assert.ok(most < 2 ** 26, `${most} bytes`);
  });
});
