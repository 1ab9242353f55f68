/** Tests that credentials which somebody else has stored are sent to no server that a member chooses. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { outline } from '../../sources/catalog/outline.ts';
import { DATABASES } from '../databases.ts';
import { type CloudPeer, json, openCloudPeer } from '../sources/cloud-peer.ts';
import { type OutlineCompany, openOutlineCompany } from '../sources/outline-company.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const CLIENT = { id: 'of-the-operator', secret: 'secret-of-the-operator' };

for (const database of DATABASES)
  describe(`another server on ${database.name}`, () => {
    let quarry: TestQuarry;
    let company: OutlineCompany;
    let other: CloudPeer;
    let id: string;
    before(async () => {
      company = await openOutlineCompany();
      other = await openCloudPeer(() => json(401, { error: 'authentication_required' }));
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['outline', { ...outline, operator: { client: CLIENT } }]]),
        env: { QUARRY_ALLOW_LOOPBACK: 'true' },
      });
      await quarry.ok('POST', '/v1/collections', { name: 'Wiki', readable_id: 'wiki' });
      id = (await quarry.ok('POST', '/v1/source-connections', connection)).id;
    });
    after(async () => {
      await quarry.close();
      await company.peer.close();
      await other.close();
    });
    beforeEach(() => {
      other.requests.length = 0;
    });

    const named = { name: 'Wiki', short_name: 'outline', readable_collection_id: 'wiki' };
    const connection = {
      ...named,
      sync_immediately: false,
      get config() {
        return company.config;
      },
      get authentication() {
        return { credentials: company.credentials };
      },
    };
    const patch = (body: object) => quarry.call('PATCH', `/v1/source-connections/${id}`, body);
    const elsewhere = () => ({ url: other.baseUrl });
    const assertRefused = ({ status, body }: Awaited<ReturnType<typeof patch>>, code: string) => {
      assert.deepEqual([status, body.code], [422, code], JSON.stringify(body));
      assert.deepEqual(body.detail[0].loc, ['body', 'config', 'url']);
      assert.equal(other.requests.length, 0);
    };

    it('gets stored credentials neither for options nor with a changed address', async () => {
      const options = (config: object) =>
        quarry.call('POST', '/v1/sources/outline/options', {
          ...{ field: 'collections', source_connection_id: id, config },
        });
      assert.equal((await options(company.config)).status, 200);
      assertRefused(await options(elsewhere()), 'credentials_needed');
      assertRefused(await patch({ config: elsewhere() }), 'credentials_needed');
      const { config } = await quarry.ok('GET', `/v1/source-connections/${id}`);
      assert.deepEqual(config, company.config);
    });

    it('gets the credentials that come with its address', async () => {
      const { status } = await patch({
        config: elsewhere(),
        authentication: { credentials: { api_key: 'ol_api_new' } },
      });
      assert.equal(status, 422);
      assert.deepEqual(
        new Set(other.requests.map(({ headers }) => headers.authorization)),
        new Set(['Bearer ol_api_new']),
      );
    });

    it('gets no credentials that somebody else changes at the same moment', async (t) => {
      const second = await openOutlineCompany();
      t.after(() => second.peer.close());
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<undefined>();
      company.peer.fault = () => {
        asked.resolve();
        return answered.promise;
      };
      const renewing = patch({ authentication: { credentials: company.credentials } });
      await asked.promise;
      const theirs = { config: second.config, authentication: { credentials: second.credentials } };
      const moved = await patch(theirs);
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      answered.resolve(undefined);
      const { status, body } = await renewing;
      assert.equal(status, 409);
      assert.match(body.detail, /look at it and send the change again/);
      const { config } = await quarry.ok('GET', `/v1/source-connections/${id}`);
      assert.equal(config.url, second.peer.baseUrl);
      company.peer.fault = () => undefined;
      const own = { config: company.config, authentication: { credentials: company.credentials } };
      assert.equal((await patch(own)).status, 200);
    });

    it('is another one than that of the same address with another path', async () => {
      const answer = await patch({ config: { url: `${company.peer.baseUrl}/` } });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal((await patch({ config: company.config })).status, 200);
    });

    it('gets nothing of the client of the operator', async () => {
      const ask = (config: object) =>
        quarry.call('POST', '/v1/source-connections', {
          ...{ ...named, config, authentication: {} },
        });
      const refused = await ask(elsewhere());
      assert.deepEqual([refused.status, refused.body.code], [422, 'client_required']);
      const usual = await ask({});
      assert.equal(usual.status, 200, JSON.stringify(usual.body));
      // Somebody has begun to sign in before the address of the connection changes.
      const link = new URL(usual.body.auth.auth_url).pathname;
      const begun = new URL(String((await quarry.call('GET', link)).headers.location));
      await quarry.db
        .updateTable('connections')
        .set({ config: JSON.stringify(elsewhere()) })
        .where('id', '=', usual.body.id)
        .execute();
      const state = begun.searchParams.get('state');
      await quarry.call('GET', `/v1/source-connections/callback?code=any&state=${state}`);
      assert.equal(other.requests.length, 0);
    });
  });
