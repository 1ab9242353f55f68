/** Versions that know different migrations meet in one database. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import pino from 'pino';
import { withContents } from '../backup/contents.ts';
import { DATABASES, somebodyWaits, type TestDatabase } from '../test/databases.ts';
import { until } from '../test/until.ts';
import { must, newId } from '../util.ts';
import { databaseTime } from './clock.ts';
import { connect } from './connect.ts';
import { joinProcesses } from './join-processes.ts';
import { assertMigrated, migrate, migrationsOf } from './migrate.ts';
import { aliveProcesses } from './process-store.ts';
import { type Migrations, noted } from './side-by-side.ts';

const statement = (text: string) => async (db: Kysely<unknown>) =>
  void (await sql.raw(text).execute(db));

const ADDING: Migrations = {
  '9997-adding': { up: statement('alter table users add column pet text'), isAdditive: true },
};
const TAKING: Migrations = {
  '9998-taking': { up: statement('alter table users drop column pet') },
};
const FAILING: Migrations = {
  '9998-before': { up: statement('alter table users add column two text') },
  '9999-failing': { up: statement('alter table nothing drop column pet') },
};

const NEWER = /^OtherVersionError: the database is of a newer version .* migration 9998-taking:/;
const silent = pino({ level: 'silent' });

for (const database of DATABASES)
  describe(`versions side by side on ${database.name}`, () => {
    let test: TestDatabase;
    const version = (...further: Migrations[]): Migrations =>
      noted(Object.assign({}, migrationsOf(test.kind), ...further));
    const run = (migrations: Migrations) => migrate(test.db, test.kind, { migrations });
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    it('[GEN-11] a failed migration changes nothing, and the older version goes on', async () => {
      await assert.rejects(
        run(version(FAILING)),
        /^Error: the database could not be brought up to date: .*nothing/,
      );
      await assertMigrated(test.db, test.kind);
      await assert.rejects(sql`select two from users`.execute(test.db));
    });

    it('an older version goes on after an additive migration, and not after another one', async () => {
      assert.deepEqual(await run(version(ADDING)), ['9997-adding']);
      await assertMigrated(test.db, test.kind);
      assert.deepEqual(await run(version()), []);
      // The contents have a column that the older version does not know.
      await assert.rejects(
        withContents({ db: test.db, kind: test.kind }, async () => {}),
        /^OtherVersionError: a newer version of Quarry has run the migration 9997-adding/,
      );
      assert.deepEqual(await run(version(ADDING, TAKING)), ['9998-taking']);
      await assert.rejects(assertMigrated(test.db, test.kind), NEWER);
      await assert.rejects(run(version(ADDING)), NEWER);
    });
  });

for (const database of DATABASES.filter(({ name }) => name === 'postgres'))
  describe('processes of versions side by side', () => {
    let test: TestDatabase;
    const version = (...further: Migrations[]): Migrations =>
      noted(Object.assign({}, migrationsOf('postgres'), ...further));
    const fatal: Error[] = [];
    const join = (migrations: Migrations, name: string) =>
      joinProcesses(test.db, {
        ...{ kind: 'postgres', roles: ['api', 'worker'], version: name, log: silent, migrations },
        onFatal: (error) => fatal.push(error),
        renewalMs: 20,
      });
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    it('a migration that is not additive waits for the end of older processes, and lets newer ones be', async () => {
      const leave = await join(version(), '1');
      assert.deepEqual(
        (await aliveProcesses(test.db, 'postgres')).map(({ roles, version: name }) => [
          roles,
          name,
        ]),
        [['api,worker', '1']],
      );
      // Both versions run after the additive migration.
      await migrate(test.db, 'postgres', { migrations: version(ADDING) });
      const leaveToo = await join(version(), '1');
      const newer = await join(version(ADDING, TAKING), '3').catch((error) => error);
      assert.match(String(newer), /the database is empty or of an older version/);
      await leaveToo();
      const migrations = version(ADDING, TAKING);
      await assert.rejects(
        migrate(test.db, 'postgres', { migrations }),
        /^OlderProcessesError: the migration 9998-taking cannot run beside processes of an older version, and 1 is alive: api,worker on \S+ \(1\)\./,
      );
      const waits: string[] = [];
      const migrating = migrate(test.db, 'postgres', {
        ...{ migrations, waitMs: 100_000 },
        onWait: (why) => waits.push(why),
      });
      await until(() => waits.length > 0);
      await leave();
      assert.deepEqual(await migrating, ['9998-taking']);
      assert.deepEqual(fatal, []);
      await assert.rejects(join(version(ADDING), '2'), NEWER);
      const stay = await join(migrations, '3');
      await stay();
      assert.deepEqual(await aliveProcesses(test.db, 'postgres'), []);
    });

    it('a process that was killed before the clock was set back counts as ended', async () => {
      const facts = { host: 'a', roles: 'api', version: '1', newest_migration: '' };
      const at = (alive_until: number) => ({ ...facts, id: newId(), started_at: 0, alive_until });
      const now = (await databaseTime(test.db, 'postgres')).getTime();
      const rows = [at(now + 3_600_000), at(now + 20_000), at(now - 1)];
      await test.db.insertInto('processes').values(rows).execute();
      const alive = await aliveProcesses(test.db, 'postgres');
      assert.deepEqual(
        alive.map(({ id }) => id),
        [rows[1]?.id],
      );
      await test.db.deleteFrom('processes').execute();
    });

    it('a process that slept during a migration ends when it wakes up', async () => {
      const migrations = version(ADDING, TAKING);
      const leave = await join(migrations, '3');
      // Its row has run out, so the migration does not see it.
      const further = { ...migrations, '9999-further': { up: statement('select 1') } };
      await test.db.transaction().execute(async (tx) => {
        await tx.deleteFrom('processes').execute();
        await migrate(tx, 'postgres', { migrations: further });
      });
      await until(() => fatal.length > 0);
      assert.match(String(fatal[0]), /newer version of Quarry, which has run the migration 9999/);
      await leave();
    });
  });

/** Returns undefined where PostgreSQL is not a server with several connections. */
async function openServer(): Promise<TestDatabase | undefined> {
  const test = await DATABASES.find(({ name }) => name === 'postgres')?.open();
  if (test?.url) return test;
  await test?.close();
  return undefined;
}

describe('locks of a migration', () => {
  it('gives way to work that holds a table, and tries again', async (t) => {
    const test = await openServer();
    if (!test) return t.skip('needs a server with several connections');
    const { db } = test;
    const { promise: read, resolve: end } = Promise.withResolvers<void>();
    try {
      const reading = db.transaction().execute(async (tx) => {
        await tx.selectFrom('users').selectAll().execute();
        await read;
      });
      await until(async () => {
        const { rows } = await sql`select 1 from pg_locks l join pg_class c on c.oid = l.relation
          where c.relname = 'users' and l.mode = 'AccessShareLock'`.execute(db);
        return rows.length > 0;
      });
      const migrations = noted({ ...migrationsOf('postgres'), ...ADDING });
      const migrating = migrate(db, 'postgres', { migrations });
      await until(() => somebodyWaits(db));
      // A further read would wait behind the migration, if that waited on.
      await db.selectFrom('users').selectAll().execute();
      end();
      await reading;
      assert.deepEqual(await migrating, ['9997-adding']);
    } finally {
      end();
      await test.close();
    }
  });

  it('tries again when it waits in a circle with other work', async (t) => {
    const test = await openServer();
    if (!test) return t.skip('needs a server with several connections');
    const { db } = test;
    try {
      const other = Promise.withResolvers<void>();
      let trials = 0;
      const circular = async (tx: Kysely<unknown>) => {
        trials++;
        await sql`lock table users in access exclusive mode`.execute(tx);
        other.resolve();
        if (trials === 1) await until(() => somebodyWaits(db));
        // The database looks for circles after this time of waiting, so it is the migration that has to give way.
        await sql`set local deadlock_timeout = '10ms'`.execute(tx);
        await sql`lock table organizations in access exclusive mode`.execute(tx);
      };
      const migrations = noted({ ...migrationsOf('postgres'), '9999-circular': { up: circular } });
      const working = db.transaction().execute(async (tx) => {
        await sql`set local deadlock_timeout = '1min'`.execute(tx);
        await sql`lock table organizations in row exclusive mode`.execute(tx);
        await other.promise;
        await sql`lock table users in row exclusive mode`.execute(tx);
      });
      assert.deepEqual(await migrate(db, 'postgres', { migrations }), ['9999-circular']);
      assert.equal(trials, 2);
      await working;
    } finally {
      await test.close();
    }
  });

  it('takes as long as it needs, whatever limit the operator has set for statements', async (t) => {
    const test = await openServer();
    if (!test) return t.skip('needs a server with several connections');
    const url = new URL(must(test.url));
    url.searchParams.set('options', '-c statement_timeout=300');
    const db = connect(url.href);
    try {
      await assert.rejects(sql`select pg_sleep(2)`.execute(db), { code: '57014' });
      const up = statement('select pg_sleep(2)');
      const migrations = noted({ ...migrationsOf('postgres'), '9999-long': { up } });
      assert.deepEqual(await migrate(db, 'postgres', { migrations }), ['9999-long']);
    } finally {
      await db.destroy();
      await test.close();
    }
  });

  it('waits for a backup, also before tables that the backup has not read yet', async (t) => {
    const test = await openServer();
    if (!test) return t.skip('needs a server with several connections');
    const { db } = test;
    try {
      await withContents({ db, kind: 'postgres' }, async () => {
        const rewriting = db.transaction().execute(async (tx) => {
          await sql`set local lock_timeout = 100`.execute(tx);
          await sql`alter table users alter column email type varchar(500)`.execute(tx);
        });
        await assert.rejects(rewriting, { code: '55P03' });
      });
    } finally {
      await test.close();
    }
  });

  it('a start waits for the end of a migration, and then sees what it has done', async (t) => {
    const test = await openServer();
    if (!test) return t.skip('needs a server with several connections');
    const { db } = test;
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    try {
      const begun = Promise.withResolvers<void>();
      const slow = async () => {
        begun.resolve();
        await goOn;
      };
      const migrations = { ...migrationsOf('postgres'), '9999-slow': { up: slow } };
      const migrating = migrate(db, 'postgres', { migrations });
      await begun.promise;
      const starting = joinProcesses(db, {
        ...{ kind: 'postgres', roles: ['api'], version: '1', log: silent },
        onFatal: () => assert.fail('it has not started'),
      });
      starting.catch(() => {
        // The error is looked at below, after the end of the migration.
      });
      await until(() => somebodyWaits(db));
      resolve();
      assert.deepEqual(await migrating, ['9999-slow']);
      await assert.rejects(starting, /newer version of Quarry, which has run the migration 9999/);
    } finally {
      resolve();
      await test.close();
    }
  });
});
