import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openOnOwnServer, type TestDatabase } from '../test/databases.ts';
import { until } from '../test/until.ts';
import { must } from '../util.ts';
import { connect, ping } from './connect.ts';
import { watchRefusal } from './refused-writes.ts';
import { whyUnready } from './unready.ts';

describe('a database whose writes wait', () => {
  let test: TestDatabase;
  before(async () => {
    test = await openOnOwnServer();
  });
  after(() => test.close());

  /** Returns how many probes wait in the database. */
  const waiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and query like 'update "refused_writes"%' and wait_event_type = 'Lock'`.execute(
      test.db,
    );
    return rows.length;
  };
  /** A commit that waits for its standby holds the row, too. */
  const whileWritesWait = (work: () => Promise<void>) =>
    test.db.transaction().execute(async (tx) => {
      await sql`select 1 from refused_writes for update`.execute(tx);
      await work();
    });

  it('[GEN-18] keeps one connection from those who read, however often somebody asks whether it is ready', async () => {
    const db = connect(must(test.url), { poolSize: 2 });
    const unready = whyUnready(db, watchRefusal(db, { freshMs: 0, deadlineMs: 60_000 }));
    try {
      await whileWritesWait(async () => {
        for (let asked = 0; asked < 4; asked++) assert.deepEqual(await unready(), []);
        assert.equal(await waiting(), 1);
        await ping(db);
      });
      assert.deepEqual(await unready(), []);
    } finally {
      await db.destroy();
    }
  });

  it('[GEN-18] gets its connection back, and is asked again on another one', async () => {
    const db = connect(must(test.url), { poolSize: 1 });
    const whyRefused = watchRefusal(db, { freshMs: 0, deadlineMs: 500 });
    try {
      await whileWritesWait(async () => {
        // The server notices only later that the first probe is over.
        await until(async () => {
          assert.equal(await whyRefused(), null);
          return (await waiting()) > 1;
        });
      });
      await until(async () => (await waiting()) === 0);
      await ping(db);
    } finally {
      await db.destroy();
    }
  });
});
