/** Contents of an older version come up to date, and what processes held is free. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { withContents } from '../../backup/contents.ts';
import { copyIntoPostgres, copyIntoSqlite } from '../../backup/copy-into.ts';
import { readTables } from '../../backup/read-store.ts';
import { lastAssigned } from '../../backup/sequence-store.ts';
import { tableNames, tableShapes } from '../../db/catalog.ts';
import { COPIED_TABLES, LOCAL_TABLES } from '../../db/copied-tables.ts';
import { pendingMigrations } from '../../db/migrate.ts';
import { must, newId } from '../../util.ts';
import {
  insertCollection,
  insertConnection,
  insertOrganization,
  insertSyncJob,
} from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { openBefore } from '../older-database.ts';
import { EMPTY_DATABASES, type EmptyDatabase, MIGRATIONS } from './copies.ts';

const OF_MIGRATIONS = ['kysely_migration', 'kysely_migration_lock'];

for (const database of DATABASES)
  describe(`the contents of ${database.name} in another database`, () => {
    const opened: (TestDatabase | EmptyDatabase)[] = [];
    after(async () => {
      for (const one of opened) await one.close();
    });

    it('of an older version are brought up to date', async () => {
      const old = await openBefore(database, '0037');
      opened.push(old);
      const [organization, user] = [newId(), newId()];
      await sql`insert into organizations (id, name, feature_flags, quotas, created_at, modified_at)
        values (${organization}, 'Old', '[]', '{}', 1, 2)`.execute(old.db);
      await sql`insert into users (id, email, created_at) values (${user}, 'a@b.example', 3)`.execute(
        old.db,
      );
      const names = (await tableNames(old.db, old.kind)).filter(
        (name) => ![...LOCAL_TABLES, ...OF_MIGRATIONS].includes(name),
      );
      const shapes = await tableShapes(old.db, old.kind, names);
      for (const { open } of EMPTY_DATABASES) {
        const target = await open();
        opened.push(target);
        await target.fill({
          migrations: MIGRATIONS.filter((name) => name < '0037'),
          parts: readTables(old.db, old.kind, shapes),
        });
        const db = target.db();
        assert.deepEqual(await pendingMigrations(db, target.kind), []);
        const row = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
        assert.deepEqual([row.id, row.email, row.password_hash], [user, 'a@b.example', null]);
        assert.deepEqual(
          (await tableShapes(db, target.kind, COPIED_TABLES)).length,
          COPIED_TABLES.length,
        );
      }
    });

    it('fill a database that has the tables already, but not newer ones', async () => {
      const source = await database.open();
      const target = await database.open();
      opened.push(source, target);
      await insertOrganization(source.db, newId());
      const fill = (migrations: readonly string[]) =>
        withContents({ db: source.db, kind: source.kind }, ({ parts }) => {
          const origin = { migrations, parts, progress: () => undefined };
          return target.kind === 'postgres'
            ? copyIntoPostgres(target.db, origin)
            : copyIntoSqlite(must(target.url), origin);
        });
      // A SQLite file without data is replaced, so its tables do not matter.
      if (target.kind === 'postgres')
        await assert.rejects(
          fill(MIGRATIONS.slice(0, -1)),
          /has the tables of a newer version than the backup/,
        );
      await fill(MIGRATIONS);
      await assert.rejects(fill(MIGRATIONS), /is not empty: name an empty database/);
    });

    it('hold no lease, count on, and keep the triggers', async () => {
      const source = await database.open();
      opened.push(source);
      const { db } = source;
      const collection = { id: newId(), organization_id: newId() };
      const connection = newId();
      await insertOrganization(db, collection.organization_id);
      await insertCollection(db, collection);
      await insertConnection(db, collection, { id: connection });
      const far = Date.now() + 1e9;
      const lease = { lease_token: 'dead', lease_until: far };
      for (const id of ['one', 'two', 'three'])
        await db
          .insertInto('jobs')
          .values({ id, name: 'sync', data: '{}', lane: id, run_at: 5, attempts: 1, ...lease })
          .execute();
      await db.deleteFrom('jobs').where('id', '=', 'three').execute();
      await db
        .insertInto('folder_watches')
        .values({ connection_id: connection, worker: 'dead', lease_until: far })
        .execute();
      const [last] = await db
        .selectFrom('jobs')
        .select(({ fn }) => fn.max('seq').as('seq'))
        .execute();
      for (const { open } of EMPTY_DATABASES) {
        const target = await open();
        opened.push(target);
        await withContents({ db, kind: source.kind }, (contents) => target.fill(contents));
        const copy = target.db();
        const jobs = await copy
          .selectFrom('jobs')
          .select(['id', 'lease_token', 'run_at'])
          .orderBy('seq')
          .execute();
        assert.deepEqual(
          jobs.map((job) => [job.id, job.lease_token, job.run_at]),
          [
            ['one', null, 0],
            ['two', null, 0],
          ],
        );
        assert.deepEqual(await copy.selectFrom('folder_watches').selectAll().execute(), []);
        await copy
          .insertInto('jobs')
          .values({ id: 'four', name: 'x', data: '{}', lane: 'x', run_at: 0, attempts: 0 })
          .execute();
        const { seq } = await copy
          .selectFrom('jobs')
          .select('seq')
          .where('id', '=', 'four')
          .executeTakeFirstOrThrow();
        assert.equal(seq, Number(last?.seq) + 2, 'the number of the removed row is not used again');
        const jobsShape = { name: 'jobs', key: ['seq'], columns: {} };
        assert.equal(await lastAssigned(copy, target.kind, jobsShape), seq);
        const owner = { id: connection, organization_id: collection.organization_id };
        await insertSyncJob(copy, owner, 'PENDING');
        const counts = await copy.selectFrom('job_counts').selectAll().execute();
        assert.deepEqual(
          counts.map(({ status, count }) => [status, count]),
          [['PENDING', 1]],
        );
      }
    });
  });
