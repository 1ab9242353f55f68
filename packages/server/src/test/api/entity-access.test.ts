/** Tests who may see a record, as an admin asks for it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';
import { insertConnection, insertEntity } from './rows.ts';

for (const database of DATABASES)
  describe(`the access of an entity on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    it('an admin sees the viewers of a record, and whether a person may see it', async () => {
      const { body: collection } = await api.call('POST', '/v1/collections', {
        body: { name: 'Seen' },
      });
      const connection_id = await insertConnection(api.db, collection, { members_list: 1 });
      const owner = {
        ...{ connection_id, collection_id: collection.id },
        organization_id: collection.organization_id,
      };
      const member = (group_name: string, one: string, list = 1) => ({
        ...{ connection_id, group_name, member: one, list },
      });
      await api.db
        .insertInto('group_members')
        .values([
          member('group:staff', 'group:team'),
          member('group:team', 'user:ann@a.org'),
          member('group:staff', 'user:gone@a.org', 0),
        ])
        .execute();
      const viewers = ['group:staff', 'user:bob@a.org'];
      const entity = (over: object) => insertEntity(api.db, owner, over);
      const restricted = await entity({ viewers: JSON.stringify(viewers) });
      const asked = async (id: string, principal: string) => {
        const url = `/v1/entities/${id}/access?principal=${encodeURIComponent(principal)}`;
        const { body } = await api.call('GET', url);
        assert.equal(body.asked.principal, principal);
        return [body.asked.may_see, body.asked.reason, body.asked.through];
      };
      const { body } = await api.call('GET', `/v1/entities/${restricted}/access`);
      assert.deepEqual(body, { viewers, is_public: false, asked: null });
      assert.deepEqual(await asked(restricted, 'user:ann@a.org'), [true, 'group', ['group:staff']]);
      assert.deepEqual(await asked(restricted, 'user:bob@a.org'), [true, 'named', []]);
      assert.deepEqual(await asked(restricted, 'user:gone@a.org'), [false, 'none', []]);
      const open = await entity({ viewers: '[]', is_public: true });
      assert.deepEqual(await asked(open, 'user:x@a.org'), [true, 'public', []]);
      assert.deepEqual(await asked(await entity({}), 'user:x@a.org'), [true, 'unrestricted', []]);
      const wrong = await api.call('GET', `/v1/entities/${restricted}/access?principal=ann`);
      assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['query', 'principal']]);
    });
  });
