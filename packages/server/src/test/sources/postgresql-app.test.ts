/**
 * Tests the postgresql source through the whole service: a change in the database changes the results of a search.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type Credentials, openPeer, type PostgresPeer } from './postgres-peer.ts';

describe('a PostgreSQL connection', () => {
  let peer: PostgresPeer;
  let quarry: TestQuarry;
  let credentials: Credentials;
  before(async () => {
    peer = await openPeer();
    quarry = await openTestQuarry(await must(DATABASES[0]).open());
    await quarry.ok('POST', '/v1/collections', { name: 'Rows', readable_id: 'rows' });
    credentials = await peer.schema(`
      create table notes (id int primary key, title text, updated_at timestamptz default now());
      insert into notes values (1, 'walrus'), (2, 'penguin'), (3, 'albatross');`);
  });
  after(async () => {
    await quarry?.close();
    await peer.close();
  });
  const connect = (extra: Record<string, unknown> = {}) => ({
    name: 'Notes',
    short_name: 'postgresql',
    readable_collection_id: 'rows',
    authentication: { credentials },
    config: { tables: ['notes'] },
    ...extra,
  });

  it('inserted, changed and deleted rows change the results of a search', async () => {
    const { id } = await quarry.ok(
      'POST',
      '/v1/source-connections',
      connect({ schedule: { cron: null } }),
    );
    const first = await quarry.settled(id);
    assert.equal(first.status, 'completed');
    assert.ok((await quarry.find('rows', 'walrus')).includes('notes:1__chunk_0'));
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

  it('a continuous sync reads only rows whose cursor column has grown since the last sync', async () => {
    const schedule = { cron: null, continuous: true, cursor_field: 'updated_at' };
    const { id } = await quarry.ok(
      'POST',
      '/v1/source-connections',
      connect({ name: 'Live', schedule }),
    );
    await quarry.settled(id);
    await peer.sql(
      "update notes set updated_at = now() - interval '1 day' where id = 3; insert into notes values (4, 'ibis')",
    );
    const next = await quarry.sync(id);
    assert.equal(next.entities_inserted, 1);
    assert.equal(next.entities_deleted, 0);
    assert.ok((await quarry.find('rows', 'ibis')).includes('notes:4__chunk_0'));
  });

  it('[SRC-15] a URL is accepted as credentials, and neither an answer nor a row contains its password', async () => {
    const { host, port, database, user, password, schema } = credentials;
    const url = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
    const given = (credentials: object) => connect({ authentication: { credentials } });
    const { id, ...shown } = await quarry.ok(
      'POST',
      '/v1/source-connections',
      given({ url, schema }),
    );
    assert.equal((await quarry.settled(id)).entities_inserted, 3);
    const changed = await quarry.ok('PATCH', `/v1/source-connections/${id}`, {
      authentication: { credentials: { url: `${url}?sslmode=prefer`, schema } },
    });
    assert.ok(!JSON.stringify([shown, changed]).includes(password));
    const stored = await quarry.db.selectFrom('connections').selectAll().execute();
    assert.ok(!JSON.stringify(stored).includes(password));
    for (const [wrong, says] of [
      [{ url: `${url}?options=-csearch_path%3Dx`, schema }, /the parameter options/],
      [{ url, host }, /the url contains it already/],
      [{ url: url.replace('postgres:', 'mysql:') }, /begin with postgres/],
      [{ url: url.replace(encodeURIComponent(password), 'not-this-one') }, /authentication failed/],
      [{ url: `${url}?sslmode=require`, schema }, /offers no TLS/],
    ] as const) {
      const { status, body } = await quarry.call('POST', '/v1/source-connections', given(wrong));
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), says);
      assert.ok(
        !JSON.stringify(body).includes(password) && !JSON.stringify(body).includes('not-this-one'),
      );
    }
  });

  it('[CON-38] wrong credentials and an unreachable server answer 422 with the message of the source', async () => {
    const refused = await quarry.call('POST', '/v1/source-connections', {
      ...connect(),
      authentication: { credentials: { ...credentials, password: 'not-this-one' } },
    });
    assert.equal(refused.status, 422);
    assert.match(JSON.stringify(refused.body), /password authentication failed/);
    assert.ok(!JSON.stringify(refused.body).includes('not-this-one'));
    const unreachable = await quarry.call('POST', '/v1/source-connections', {
      ...connect(),
      authentication: { credentials: { ...credentials, port: 1 } },
    });
    assert.equal(unreachable.status, 422);
    assert.match(JSON.stringify(unreachable.body), /cannot be reached/);
  });
});
