/**
 * Tests the mysql source through the whole service: a change in the database changes the results of a search, and a
 * sync that is interrupted goes on.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { isLeftToSqlite } from '../tier.ts';
import { until } from '../until.ts';
import { type Credentials, type MysqlPeer, openPeer } from './mysql-peer.ts';

for (const database of DATABASES)
  describe(`a MySQL connection on ${database.name}`, { skip: skipWithoutMariadb }, () => {
    let peer: MysqlPeer;
    let quarry: TestQuarry;
    let credentials: Credentials;
    before(async () => {
      peer = await openPeer();
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Rows', readable_id: 'rows' });
      credentials = await peer.database(`
      create table notes (id int primary key, title varchar(99), updated_at timestamp(6) default now(6));
      insert into notes (id, title) values (1, 'walrus'), (2, 'penguin'), (3, 'albatross');`);
    });
    after(async () => {
      await quarry?.close();
      await peer.close();
    });
    const connect = (extra: Record<string, unknown> = {}) => ({
      name: 'Notes',
      short_name: 'mysql',
      readable_collection_id: 'rows',
      authentication: { credentials },
      config: { tables: ['notes'] },
      schedule: { cron: null },
      ...extra,
    });

    it('inserted, changed and deleted rows change the results of a search, and a second sync writes nothing', async () => {
      const { id } = await quarry.ok('POST', '/v1/source-connections', connect());
      assert.equal((await quarry.settled(id)).status, 'completed');
      assert.ok((await quarry.find('rows', 'walrus')).includes('notes:1__chunk_0'));
      const again = await quarry.sync(id);
      assert.deepEqual(
        [again.entities_inserted, again.entities_updated, again.entities_kept],
        [0, 0, 3],
      );
      await peer.sql(
        "update notes set title = 'narwhal' where id = 1; delete from notes where id = 2",
      );
      const second = await quarry.sync(id);
      assert.deepEqual(
        [second.entities_updated, second.entities_deleted, second.entities_kept],
        [1, 1, 1],
      );
      const found = await quarry.find('rows', 'narwhal penguin albatross');
      assert.deepEqual(found.toSorted(), ['notes:1__chunk_0', 'notes:3__chunk_0']);
    });

    it('a continuous sync reads only rows whose cursor column has grown, and a full one deletes what is gone', async () => {
      const schedule = { cron: null, continuous: true, cursor_field: 'updated_at' };
      const { id } = await quarry.ok(
        'POST',
        '/v1/source-connections',
        connect({ name: 'Live', schedule }),
      );
      await quarry.settled(id);
      await peer.sql(
        "update notes set updated_at = now(6) - interval 1 day where id = 3; insert into notes (id, title) values (4, 'ibis')",
      );
      const next = await quarry.sync(id);
      assert.deepEqual([next.entities_inserted, next.entities_deleted], [1, 0]);
      assert.ok((await quarry.find('rows', 'ibis')).includes('notes:4__chunk_0'));
      await peer.sql('delete from notes where id = 4');
      assert.equal((await quarry.sync(id)).entities_deleted, 0);
      await quarry.ok('POST', `/v1/source-connections/${id}/run?force_full_sync=true`);
      const whole = await quarry.settled(id);
      assert.equal(whole.entities_deleted, 1);
    });

    if (isLeftToSqlite(database)) return;

    it('[JOB-43] a sync whose connection is killed goes on where it stopped, and every row is there once', async () => {
      const many = await peer.database(`
        create table d (d int primary key); insert into d values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
        create table birds (id varchar(9) collate utf8mb4_general_ci primary key, title text);
        insert into birds select concat(if(c.d % 2, 'Bird', 'bird'), a.d, b.d, c.d, e.d), concat('heron ', a.d, b.d, c.d, e.d)
          from d a, d b, d c, d e where e.d < 5; drop table d;`);
      const { id } = await quarry.ok(
        'POST',
        '/v1/source-connections',
        connect({
          name: 'Birds',
          authentication: { credentials: many },
          config: {},
          sync_immediately: false,
        }),
      );
      const killed = until(async () => {
        const rows = await quarry.db
          .selectFrom('entities')
          .select('id')
          .where('connection_id', '=', id)
          .limit(1)
          .execute();
        if (rows.length === 0) return false;
        const open = await peer.sql(
          `select id from information_schema.processlist where db = '${many.database}' and id <> connection_id()`,
        );
        for (const { id: thread } of open) await peer.sql(`kill ${thread}`);
        return true;
      });
      await quarry.ok('POST', `/v1/source-connections/${id}/run`);
      await killed;
      const job = await quarry.settled(id, { hurry: true });
      assert.equal(job.status, 'completed');
      assert.equal(job.entities_inserted, 5000);
      const again = await quarry.sync(id);
      assert.deepEqual(
        [
          again.entities_inserted,
          again.entities_updated,
          again.entities_deleted,
          again.entities_kept,
        ],
        [0, 0, 0, 5000],
      );
    });

    it('text with zero bytes and emoji is stored and found', async () => {
      const odd = await peer.database(String.raw`
        create table t (id varchar(9) collate utf8mb4_bin primary key, title text);
        insert into t values ('a\0b', 'zero\0byte kiwi'), ('a ', 'trailing 😀 kiwi'), (' a', 'leading kiwi');`);
      await quarry.ok('POST', '/v1/collections', { name: 'Odd texts', readable_id: 'odd' });
      const { id } = await quarry.ok(
        'POST',
        '/v1/source-connections',
        connect({
          readable_collection_id: 'odd',
          authentication: { credentials: odd },
          config: {},
        }),
      );
      const job = await quarry.settled(id);
      assert.deepEqual([job.status, job.entities_inserted], ['completed', 3]);
      assert.equal((await quarry.find('odd', 'kiwi')).length, 3);
      assert.equal((await quarry.sync(id)).entities_kept, 3);
    });

    it('[SRC-15] [CON-38] a URL is accepted, wrong settings answer 422, and nothing contains the password', async () => {
      const { host, port, database, user, password } = credentials;
      const url = `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
      const given = (sent: object) => connect({ authentication: { credentials: sent } });
      const { id, ...shown } = await quarry.ok('POST', '/v1/source-connections', given({ url }));
      assert.equal((await quarry.settled(id)).status, 'completed');
      assert.ok(!JSON.stringify(shown).includes(password));
      const stored = await quarry.db.selectFrom('connections').selectAll().execute();
      assert.ok(!JSON.stringify(stored).includes(password));
      for (const [wrong, says] of [
        [{ url: `${url}?allowLoadLocalInfile=true` }, /the parameter allowLoadLocalInfile/],
        [{ url, host }, /the url contains it already/],
        [{ url: url.replace('mysql:', 'postgres:') }, /begin with mysql/],
        [{ url: url.replace(encodeURIComponent(password), 'not-this-one') }, /Access denied/],
        [{ url: `${url}?ssl-mode=REQUIRED` }, /offers no TLS/],
        [{ ...credentials, password: 'not-this-one' }, /Access denied for user/],
        [{ ...credentials, port: 1 }, /cannot be reached/],
      ] as const) {
        const { status, body } = await quarry.call('POST', '/v1/source-connections', given(wrong));
        assert.equal(status, 422);
        assert.match(JSON.stringify(body), says);
        assert.ok(
          !JSON.stringify(body).includes(password) &&
            !JSON.stringify(body).includes('not-this-one'),
        );
      }
    });
  });
