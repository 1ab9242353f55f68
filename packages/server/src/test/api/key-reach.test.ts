/** Tests what a key may reach: which organizations, searches on behalf of whom, and which other keys it may make. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sha256 } from '../../model/hash.ts';
import type { NewApiKey } from '../../organizations/key-schema.ts';
import { makeLocalKey } from '../../organizations/local-key.ts';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';

const HOUR = 3_600_000;

for (const database of DATABASES) {
  describe(`the reach of a key on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    const create = (body: Partial<NewApiKey>, key = api.adminKey) =>
      api.call('POST', '/v1/api-keys', { body: { name: 'made', ...body }, key });
    const idOf = async (key: string): Promise<string> => {
      const row = await api.db
        .selectFrom('api_keys')
        .select('id')
        .where('hash', '=', sha256(key))
        .executeTakeFirstOrThrow();
      return row.id;
    };
    const listAs = (key: string, organizationId?: string) =>
      api.call('GET', '/v1/collections', {
        key,
        ...(organizationId !== undefined && { headers: { 'x-organization-id': organizationId } }),
      });

    it('[KEY-27] [KEY-32] the first key reaches all organizations of its account, other keys only with all_organizations', async () => {
      const [first] = (await api.call('GET', '/v1/api-keys')).body;
      assert.deepEqual([first.name, first.all_organizations], ['First key', true]);
      const there = await api.sibling();
      const near = (await create({ role: 'admin' })).body;
      const far = (await create({ role: 'admin', all_organizations: true })).body;
      assert.deepEqual([near.all_organizations, far.all_organizations], [false, true]);
      assert.equal((await listAs(far.key, there.organizationId)).status, 200);
      const refused = await listAs(near.key, there.organizationId);
      assert.deepEqual(
        [refused.status, refused.body.detail],
        [
          404,
          `organization '${there.organizationId}' does not exist: GET /v1/organizations lists them`,
        ],
      );
      const { organizationId } = await api.owner();
      assert.equal((await listAs(near.key, organizationId)).status, 200);
      assert.equal((await listAs(there.key, organizationId)).status, 404);
    });

    it('[KEY-32] a key without all_organizations can neither see nor change another organization, and cannot make one', async () => {
      const { organizationId } = await api.owner();
      const there = await api.sibling();
      const key = await api.keyOf('admin');
      const list = await api.call('GET', '/v1/organizations', { key });
      assert.deepEqual(
        [list.headers['x-total-count'], list.body.map(({ id }: { id: string }) => id)],
        ['1', [organizationId]],
      );
      const url = `/v1/organizations/${there.organizationId}`;
      assert.equal((await api.call('GET', url, { key })).status, 404);
      const body = { name: 'Taken over' };
      assert.equal((await api.call('PATCH', url, { key, body })).status, 404);
      const made = await api.call('POST', '/v1/organizations', { key, body });
      assert.deepEqual(
        [made.status, made.body.detail],
        [403, 'this key could not reach another organization: use one with all_organizations'],
      );
      assert.equal((await api.call('GET', url)).body.name, 'Sibling');
    });

    it('[KEY-32] a key can neither make nor rotate a key that reaches more than itself', async () => {
      const near = await api.keyOf('admin');
      const further = 'only a key with all_organizations may make or rotate another one';
      const made = await create({ role: 'admin', all_organizations: true }, near);
      assert.deepEqual([made.status, made.body.detail], [403, further]);
      const first = await idOf(api.adminKey);
      const turned = await api.call('POST', `/v1/api-keys/${first}/rotate`, { key: near });
      assert.deepEqual([turned.status, turned.body.detail], [403, further]);
      assert.equal((await listAs(api.adminKey)).status, 200);
      for (const role of ['member', 'read'] as const) {
        const lesser = await create({ role, all_organizations: true });
        assert.deepEqual(
          [lesser.status, lesser.body.detail[0].loc],
          [422, ['body', 'all_organizations']],
        );
      }
    });

    it('[KEY-07] [KEY-08] a key can neither make nor rotate a key that lasts longer than itself', async () => {
      const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
      const expires_at = at(2);
      const brief = (await create({ role: 'admin', expires_at })).body;
      const longer = `your key expires at ${expires_at}; it may not make or rotate one that lasts longer`;
      for (const later of [undefined, null, at(3)]) {
        const refused = await create({ expires_at: later }, brief.key);
        assert.deepEqual([refused.status, refused.body.detail], [403, longer]);
      }
      const lasting = await idOf(await api.keyOf('admin'));
      const turned = await api.call('POST', `/v1/api-keys/${lasting}/rotate`, { key: brief.key });
      assert.deepEqual([turned.status, turned.body.detail], [403, longer]);
      assert.equal((await create({ expires_at: at(1) }, brief.key)).status, 200);
      const own = await api.call('POST', `/v1/api-keys/${brief.id}/rotate`, { key: brief.key });
      assert.deepEqual([own.status, own.body.expires_at], [200, expires_at]);
    });

    it('[KEY-10] [KEY-32] [KEY-34] a rotated key keeps its rights', async () => {
      const limits = { role: 'admin', all_organizations: true, search_as: true } as const;
      const { key: old, ...made } = (await create(limits)).body;
      const { key, ...turned } = (await api.call('POST', `/v1/api-keys/${made.id}/rotate`)).body;
      assert.deepEqual(turned, made);
      const there = await api.sibling();
      assert.equal((await listAs(key, there.organizationId)).status, 200);
      assert.equal((await listAs(old)).status, 401);
    });

    it('[KEY-11] [KEY-32] the last key that reaches another organization can be neither deleted nor taken over', async () => {
      const keeper = await api.stranger('admin', { allOrganizations: true });
      const call = (method: 'POST' | 'DELETE', url: string, key: string, body?: unknown) =>
        api.call(method, url, { key, body });
      const made = await call('POST', '/v1/organizations', keeper.key, { name: 'Kept' });
      assert.equal(made.status, 200);
      const only = await idOf(keeper.key);
      const near = (await create({ role: 'admin' }, keeper.key)).body;
      const elsewhere =
        'this key is the only one that administers another organization of its account; make an admin key there first';
      for (const key of [keeper.key, near.key]) {
        const refused = await call('DELETE', `/v1/api-keys/${only}`, key);
        assert.deepEqual([refused.status, refused.body.detail], [409, elsewhere]);
      }
      // An account that rotates a key takes the key over. This account is not an admin of the other
      // organization.
      const other = await api.stranger('admin', { allOrganizations: true });
      await api.join(other.userId, keeper.organizationId, 'admin');
      const headers = { 'x-organization-id': keeper.organizationId };
      const turn = () =>
        api.call('POST', `/v1/api-keys/${only}/rotate`, { key: other.key, headers });
      const taken = await turn();
      assert.deepEqual([taken.status, taken.body.detail], [409, elsewhere]);
      assert.equal((await listAs(keeper.key, made.body.id)).status, 200);
      await api.join(other.userId, made.body.id, 'admin');
      const { body: turned } = await turn();
      assert.equal((await listAs(turned.key, made.body.id)).status, 200);
      assert.equal((await listAs(turned.key, other.organizationId)).status, 200);
    });

    it('[KEY-34] [ENT-17] [ENT-21] only an admin key, or a key with search_as, may search as somebody else', async () => {
      const body = { name: 'Notes', readable_id: 'notes' };
      await api.call('POST', '/v1/collections', { body });
      const search = (key: string) =>
        api.call('POST', '/v1/collections/notes/search', {
          key,
          body: { query: 'words' },
          headers: { 'x-principals': 'user:a@b.c' },
        });
      for (const role of ['read', 'member'] as const) {
        const refused = await search(await api.keyOf(role));
        assert.deepEqual(
          [refused.status, refused.body.detail],
          [
            403,
            'only an admin key, or one with search_as, may search as another person (X-Principals)',
          ],
        );
        assert.equal((await search(await api.keyOf(role, { search_as: true }))).status, 200);
      }
      assert.equal((await search(api.adminKey)).status, 200);
    });

    it('[KEY-34] search_as gives no other right', async () => {
      const key = await api.keyOf('read', { search_as: true });
      assert.equal((await api.call('GET', '/v1/api-keys', { key })).status, 403);
      const { organizationId } = await api.owner();
      assert.equal((await listAs(key, organizationId)).status, 403);
      const body = { name: 'Mine' };
      assert.equal((await api.call('POST', '/v1/collections', { key, body })).status, 403);
    });

    it('[KEY-36] a local admin key reaches the same organizations as the first key, or only a given one', async () => {
      const there = await api.sibling();
      const like = await makeLocalKey(api.db, { name: 'local', role: 'admin' }, undefined);
      assert.equal((await listAs(like.key, there.organizationId)).status, 200);
      const { organizationId } = await api.owner();
      const one = await makeLocalKey(
        api.db,
        { name: 'local', role: 'admin' },
        there.organizationId,
      );
      assert.equal((await listAs(one.key)).status, 200);
      assert.equal((await listAs(one.key, organizationId)).status, 404);
      const reader = await makeLocalKey(api.db, { name: 'local', role: 'read' }, undefined);
      assert.equal((await listAs(reader.key, there.organizationId)).status, 403);
    });
  });
}
