/** Tests the caldav source through the whole service: a change of a calendar changes the results of a search. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { event, openRadicale, PEOPLE, type Radicale, skipWithoutRadicale } from './radicale.ts';

for (const database of DATABASES)
  describe(`a CalDAV connection on ${database.name}`, { skip: skipWithoutRadicale }, () => {
    let server: Radicale;
    let quarry: TestQuarry;
    let work: string;
    let id: string;
    before(async () => {
      server = await openRadicale();
      work = await server.calendar('work', 'Work');
      await server.put(`${work}1.ics`, event('1', 'Watch the heron'));
      await server.put(`${work}2.ics`, event('2', 'Feed the swan'));
      await server.put(`${work}3.ics`, event('3', 'Count the owls'));
      quarry = await openTestQuarry(await database.open(), {
        // An embedded database makes a single-user install, in which the server may be at a private address.
        env: database.name === 'sqlite' ? {} : { QUARRY_SOURCE_NETWORKS: '127.0.0.0/8' },
      });
      await quarry.ok('POST', '/v1/collections', { name: 'Days', readable_id: 'days' });
    });
    after(async () => {
      await quarry?.close();
      await server.close();
    });
    const connect = (extra: Record<string, unknown> = {}) => ({
      name: 'Calendar',
      short_name: 'caldav',
      readable_collection_id: 'days',
      authentication: { credentials: { username: 'ann', password: PEOPLE.ann } },
      config: { url: server.baseUrl },
      schedule: { cron: null, continuous: true },
      ...extra,
    });
    const found = async (query: string) => (await quarry.find('days', query)).toSorted();
    const countsOf = (job: Record<string, unknown>) =>
      ['inserted', 'updated', 'deleted', 'failed'].map((what) => job[`entities_${what}`]);

    it('[GEN-35] [GEN-36] new, changed and deleted entries change the results at the next sync, and a second sync writes nothing', async () => {
      ({ id } = await quarry.ok('POST', '/v1/source-connections', connect()));
      assert.deepEqual(countsOf(await quarry.settled(id)), [3, 0, 0, 0]);
      assert.ok((await found('heron')).includes(`${work}1.ics__chunk_0`));
      await server.put(`${work}1.ics`, event('1', 'Watch the bittern'));
      await server.remove(`${work}2.ics`);
      await server.put(`${work}4.ics`, event('4', 'Ring the kite'));
      assert.deepEqual(countsOf(await quarry.sync(id)), [1, 1, 1, 0]);
      assert.deepEqual(
        await found('bittern kite owls swan heron'),
        ['1', '3', '4'].map((name) => `${work}${name}.ics__chunk_0`),
      );
      assert.deepEqual(countsOf(await quarry.sync(id)), [0, 0, 0, 0]);
      const full = await quarry.sync(id, '?force_full_sync=true');
      assert.deepEqual([...countsOf(full), full.entities_kept], [0, 0, 0, 0, 3]);
    });

    it('the entries of a deleted calendar are gone after the next sync', async () => {
      const party = await server.calendar('party', 'Party');
      await server.put(`${party}p.ics`, event('p', 'Dance with the cranes'));
      assert.deepEqual(countsOf(await quarry.sync(id)), [1, 0, 0, 0]);
      await server.remove(party);
      assert.deepEqual(countsOf(await quarry.sync(id)), [0, 0, 1, 0]);
      assert.ok(!(await found('cranes')).includes(`${party}p.ics__chunk_0`));
    });

    it('no other calendar comes in place of one whose address is in the configuration, when it is deleted', async () => {
      const alone = await server.calendar('alone', 'Alone');
      await server.put(`${alone}a.ics`, event('a', 'Sing with the larks'));
      const config = { url: new URL(alone, server.baseUrl).href };
      const one = await quarry.ok('POST', '/v1/source-connections', connect({ config }));
      assert.deepEqual(countsOf(await quarry.settled(one.id)), [1, 0, 0, 0]);
      await server.remove(alone);
      const job = await quarry.sync(one.id);
      assert.deepEqual([job.status, ...countsOf(job)], ['failed', 0, 0, 0, 0]);
      assert.match(job.error, /sees nothing at this address/);
    });

    it('wrong credentials and addresses answer 422 with the reason, without the password', async () => {
      for (const [over, says] of [
        [
          { authentication: { credentials: { username: 'ann', password: 'not-this-one' } } },
          /answered 401/,
        ],
        [{ config: { url: 'http://dav.example.org/' } }, /is not an address of the form https/],
        [{ config: { url: server.baseUrl, calendars: ['/ben/x/'] } }, /sees no calendar/],
        [{ config: { url: `${server.baseUrl}ann/wrok/` } }, /sees nothing at this address/],
        [{ config: { url: `${server.baseUrl}ben/` } }, /sees nothing at this address/],
      ] as const) {
        const { status, body } = await quarry.call('POST', '/v1/source-connections', connect(over));
        assert.equal(status, 422);
        assert.match(JSON.stringify(body), says);
        assert.doesNotMatch(JSON.stringify(body), /not-this-one|4711/);
      }
    });
  });
