/** Tests what the API and the janitor know of the usage of organizations, on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { createJanitor } from '../../syncs/housekeeping/janitor.ts';
import { createUsageCounter } from '../../usage/counter.ts';
import { lastDays, noteRecords } from '../../usage/store.ts';
import { must, newId } from '../../util.ts';
import {
  insertCollection,
  insertConnection,
  insertEntity,
  insertOrganization,
} from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const DAY_MS = 24 * 3_600_000;

for (const database of DATABASES)
  describe(`the usage of an organization on ${database.name}`, () => {
    let opened: TestDatabase;
    let quarry: TestQuarry;
    let id: string;
    before(async () => {
      opened = await database.open();
      quarry = await openTestQuarry(opened);
      id = must((await quarry.ok('GET', '/v1/organizations'))[0]).id;
    });
    after(() => quarry.close());

    const counter = (everyMs?: number) =>
      createUsageCounter({ ...opened, log: pino({ level: 'silent' }) }, everyMs);
    const usage = (query = '') => quarry.ok('GET', `/v1/organizations/${id}/usage${query}`);
    const clean = () =>
      createJanitor({ ...opened, historyDays: 90, goneKeptMs: DAY_MS }).work(() => true);

    it('[UI-01] has every day, with the searches and the stored records of today', async () => {
      const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Used' });
      const connection = await quarry.ok('POST', '/v1/source-connections', {
        ...{ name: 'Pushed', short_name: 'push', readable_collection_id: readable_id },
      });
      await quarry.ok('POST', `/v1/source-connections/${connection.id}/entities`, {
        entities: ['a', 'b', 'c'].map((one) => ({ entity_id: one, name: one, text: one })),
      });
      await quarry.settled(connection.id);
      await clean();
      const searching = counter();
      for (let i = 0; i < 3; i++) searching.count(id, 'searches');
      searching.count(id, 'agenticSearches');
      await searching.close();
      await quarry.find(readable_id, 'a');
      const days = await usage('?days=3');
      assert.deepEqual(
        days.map(({ date }: { date: string }) => Date.parse(date) / DAY_MS),
        [2, 1, 0].map((ago) => Math.floor(Date.now() / DAY_MS) - ago),
      );
      assert.deepEqual(
        { ...days[2], date: '' },
        {
          ...{ date: '', searches: 3, agentic_searches: 1, records: 3 },
        },
      );
      assert.deepEqual(
        { ...days[1], date: '' },
        {
          ...{ date: '', searches: 0, agentic_searches: 0, records: null },
        },
      );
      assert.equal((await usage()).length, 30);
    });

    it('counts an answered search, one over several collections once, and each accepted agentic one, before the process ends', async () => {
      const other = await database.open();
      const service = await openTestQuarry(other);
      const { readable_id } = await service.ok('POST', '/v1/collections', { name: 'Asked' });
      await service.find(readable_id, 'a');
      await service.ok('POST', '/v1/collections', { name: 'Asked, too' });
      await service.ok('POST', '/v1/search', { query: 'a' });
      await service.call('POST', `/v1/collections/${readable_id}/search`, { query: 5 });
      await service.ok('POST', `/v1/collections/${readable_id}/agentic-search`, { query: 'a' });
      await service.api.close();
      const rows = await other.db.selectFrom('usage_days').selectAll().execute();
      const sum = (name: 'searches' | 'agentic_searches') =>
        rows.reduce((all, row) => all + row[name], 0);
      assert.deepEqual([sum('searches'), sum('agentic_searches')], [2, 1]);
      await service.close();
    });

    it('adds up what several processes count, and keeps what could not be written', async () => {
      const before = must((await usage('?days=1'))[0]).searches;
      const [first, second] = [counter(1), counter(1)];
      first.count(id, 'searches');
      second.count(id, 'searches');
      await Promise.all([first.close(), second.close()]);
      assert.equal(must((await usage('?days=1'))[0]).searches, before + 2);
      let isBroken = true;
      const db = new Proxy(opened.db, {
        get(target, name) {
          if (name === 'transaction' && isBroken) throw new Error('the disk is full');
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const third = createUsageCounter({ ...opened, db, log: pino({ level: 'silent' }) }, 1);
      third.count(id, 'searches');
      await third.close();
      isBroken = false;
      await third.close();
      assert.equal(must((await usage('?days=1'))[0]).searches, before + 3);
    });

    it('counts for more organizations than a statement has parameters', async () => {
      const before = must((await usage('?days=1'))[0]).searches;
      const many = counter();
      for (let i = 0; i < 70_000; i++) many.count(newId(), 'searches');
      many.count(id, 'searches');
      await many.close();
      assert.equal(must((await usage('?days=1'))[0]).searches, before + 1);
    });

    it('counts nothing of an organization that is gone, and forgets after 366 days', async () => {
      const gone = counter();
      const unknown = newId();
      gone.count(unknown, 'searches');
      await gone.close();
      const today = Math.floor(Date.now() / DAY_MS);
      const row = { organization_id: unknown, searches: 1, agentic_searches: 0, records: 1 };
      const old = [today - 367, today - 366, today - 365].map((day) => ({ ...row, day }));
      await opened.db.insertInto('usage_days').values(old).execute();
      await clean();
      const left = await opened.db
        .selectFrom('usage_days')
        .select('day')
        .where('organization_id', '=', unknown)
        .execute();
      assert.deepEqual(
        left.map(({ day }) => day),
        [today - 365],
      );
    });

    it('counts nothing of an organization that is being deleted', async () => {
      const deleted = await insertOrganization(opened.db, newId(), { deleted_at: Date.now() });
      const late = counter();
      late.count(deleted, 'searches');
      late.count(id, 'searches');
      await late.close();
      await noteRecords(opened.db, opened.kind);
      const rows = await opened.db
        .selectFrom('usage_days')
        .select('day')
        .where('organization_id', '=', deleted)
        .execute();
      assert.deepEqual(rows, []);
    });

    it('has the latest number of records of a day, and no day before the first', async () => {
      const organization = await insertOrganization(opened.db);
      const collection = { id: newId(), organization_id: organization };
      await insertCollection(opened.db, collection);
      const connection_id = await insertConnection(opened.db, collection);
      const owner = { connection_id, collection_id: collection.id, organization_id: organization };
      const today = Math.floor(Date.now() / DAY_MS);
      const row = { organization_id: organization, searches: 1, agentic_searches: 0, records: 1 };
      const before = [today - 3, today - 2].map((day) => ({ ...row, day }));
      await opened.db.insertInto('usage_days').values(before).execute();
      for (const records of [1, 2]) {
        await insertEntity(opened.db, owner);
        await noteRecords(opened.db, opened.kind);
        const { last, rows } = await lastDays(opened.db, opened.kind, {
          organizationId: organization,
          days: 3,
        });
        assert.deepEqual(
          [last, rows.map((one) => [one.day, one.records])],
          [
            today,
            [
              [today - 2, 1],
              [today, records],
            ],
          ],
        );
      }
    });

    it('refuses a number of days that is not from 1 to 366, and people who are not admins', async () => {
      for (const days of ['0', '367', 'many'])
        assert.equal(
          (await quarry.call('GET', `/v1/organizations/${id}/usage?days=${days}`)).status,
          422,
        );
      const { key } = await quarry.ok('POST', '/v1/api-keys', { name: 'Member', role: 'member' });
      const url = `/v1/organizations/${id}/usage`;
      const refused = await quarry.call('GET', url, undefined, { authorization: `Bearer ${key}` });
      assert.equal(refused.status, 403);
      assert.equal((await quarry.call('GET', `/v1/organizations/${newId()}/usage`)).status, 404);
    });
  });
