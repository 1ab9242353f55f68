/** Tests that no source is asked while somebody has to sign in, or while the operator has switched the source off. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openTestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { notebooks, openSignInHouse, type SignInHouse } from './house.ts';

for (const database of DATABASES.slice(0, 1))
  describe(`a connection without a valid sign-in on ${database.name}`, () => {
    let house: SignInHouse;
    before(async () => {
      house = await openSignInHouse(database);
    });
    after(() => house.close());

    const endSignIn = (id: string) =>
      house.db.updateTable('connections').set({ refused_at: 1 }).where('id', '=', id).execute();
    const isNeeded = ({ status, body }: { status: number; body: { code: string } }) =>
      assert.deepEqual([status, body.code], [409, 'sign_in_needed'], JSON.stringify(body));

    it('[AUTH-32] [CON-32] sends no request for run, refresh_all, schedules and comparisons', async () => {
      const pending = await house.waiting({ schedule: { cron: '0 0 * * *' } });
      const ended = await house.signedIn({
        sync_immediately: false,
        schedule: { cron: '0 0 * * *' },
      });
      await endSignIn(ended.id);
      const requests = [...house.provider.requests];
      for (const [id, collection, status] of [
        [pending.id, pending.readable_collection_id, 'PENDING_AUTH'],
        [ended.id, ended.collection, 'NEEDS_REAUTH'],
      ]) {
        assert.equal((await house.show(id)).status, status);
        isNeeded(await house.call('POST', `/v1/source-connections/${id}/run`));
        assert.deepEqual(await house.ok('POST', `/v1/collections/${collection}/refresh_all`), []);
        const doctor = { source_connection_id: id };
        isNeeded(await house.call('POST', `/v1/collections/${collection}/doctor`, doctor));
        const { next_run_at } = await house.db
          .selectFrom('connections')
          .select('next_run_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        assert.ok((next_run_at ?? 0) > Date.now());
        assert.equal(
          (await house.ok('GET', `/v1/collections/${collection}`)).status,
          'NEEDS_SOURCE',
        );
        assert.deepEqual(await house.ok('GET', `/v1/source-connections/${id}/jobs`), []);
      }
      assert.deepEqual([...house.provider.requests], requests);
    });

    it('[AUTH-32] accepts new settings without a check, and checks them after somebody has signed in', async () => {
      const pending = await house.waiting({ sync_immediately: false });
      const url = `/v1/source-connections/${pending.id}`;
      const requests = [...house.provider.requests];
      const changed = await house.ok('PATCH', url, { config: { project: 'heron' } });
      assert.deepEqual(changed.config, { project: 'heron' });
      assert.deepEqual([...house.provider.requests], requests);
      await house.signIn(pending.auth.auth_url);
      await house.expire(pending.id);
      house.provider.instead.set('/api/me', [
        (response) => {
          response.writeHead(403, { 'content-type': 'application/json' });
          response.end('{"message":"the project is gone"}');
        },
      ]);
      const { status, body } = await house.call('PATCH', url, { config: { project: 'weir' } });
      assert.deepEqual([status, /the project is gone/.test(body.detail[0].msg)], [422, true]);
      await house.ok('PATCH', url, { config: { project: 'weir' } });
    });

    it('[AUTH-32] [AUTH-23] [COL-22] sends no request in a live search, which renews the token of a valid sign-in', async () => {
      const live = { short_name: 'live_notebook', schedule: undefined };
      const { id, collection } = await house.signedIn(live);
      assert.equal((await house.ok('GET', `/v1/collections/${collection}`)).status, 'ACTIVE');
      const search = async () => {
        const url = `/v1/collections/${collection}/search`;
        const body = { query: 'first', generate_answer: false, retrieval_strategy: 'keyword' };
        return house.ok('POST', url, body);
      };
      assert.equal((await search()).results.length, 2);
      await house.expire(id);
      assert.equal((await search()).results.length, 2);
      await endSignIn(id);
      const requests = [...house.provider.requests];
      const { results, metadata } = await search();
      const [asked] = metadata.federated;
      assert.deepEqual(results, []);
      assert.deepEqual([asked.status, /refused or missing/.test(asked.message)], ['failed', true]);
      assert.deepEqual([...house.provider.requests], requests);
      assert.equal((await house.ok('GET', `/v1/collections/${collection}`)).status, 'NEEDS_SOURCE');
    });

    it('gives no sign-in link when its method is not OAuth', async () => {
      const credentials = { key: 'a pasted key' };
      const made = await house.waiting({
        auth: { direct: { credentials } },
        sync_immediately: false,
      });
      const { status, body } = await house.call(
        'POST',
        `/v1/source-connections/${made.id}/reinitiate-oauth`,
      );
      assert.deepEqual([status, body.code], [422, 'not_oauth']);
    });
  });

describe('a source that the operator has switched off', () => {
  it('[AUTH-30] [CON-31] is not offered, and its connections are INACTIVE and send no request', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'quarry-off-'));
    const path = join(dir, 'sources.json');
    const [{ open }] = DATABASES as [(typeof DATABASES)[number]];
    const sources = notebooks('http://127.0.0.1:9');
    const settings = {
      notebook: { client_id: 'id', authorize_url: 'https://a.example/authorize' },
      own_notebook: { enabled: false },
    };
    writeFileSync(path, JSON.stringify(settings));
    const env = { QUARRY_SOURCES_FILE: path, QUARRY_ALLOW_LOOPBACK: 'true' };
    const quarry = await openTestQuarry(await open(), { sources, env });
    try {
      const listed = await quarry.ok('GET', '/v1/sources');
      const offered = listed.map((one: { short_name: string; requires_byoc: boolean }) => [
        one.short_name,
        one.requires_byoc,
      ]);
      assert.deepEqual(offered, [
        ['notebook', false],
        ['robot_notebook', false],
        ['live_notebook', false],
      ]);
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      const input = { name: 'Notes', short_name: 'notebook', readable_collection_id: 'notes' };
      const made = await quarry.ok('POST', '/v1/source-connections', input);
      // Without a public address and a port in the settings, links lead to this machine.
      assert.match(
        made.auth.auth_url,
        /^http:\/\/localhost:8099\/v1\/source-connections\/authorize\//,
      );
      const link = await quarry.api.inject(new URL(made.auth.auth_url).pathname);
      const { origin, searchParams } = new URL(String(link.headers.location));
      assert.deepEqual(
        [origin, searchParams.get('client_id'), searchParams.get('redirect_uri')],
        ['https://a.example', 'id', 'http://localhost:8099/v1/source-connections/callback'],
      );
      const off = { ...input, short_name: 'own_notebook' };
      assert.equal((await quarry.call('POST', '/v1/source-connections', off)).status, 404);
      await quarry.db
        .updateTable('connections')
        .set({ short_name: 'own_notebook', authenticated_at: 1, auth_method: 'direct' })
        .execute();
      const url = `/v1/source-connections/${made.id}`;
      assert.equal((await quarry.ok('GET', url)).status, 'INACTIVE');
      for (const [method, to] of [
        ['POST', `${url}/run`],
        ['POST', `${url}/reinitiate-oauth`],
      ] as const) {
        const { status, body } = await quarry.call(method, to);
        if (to.endsWith('run')) assert.deepEqual([status, body.code], [409, 'source_inactive']);
        else assert.equal(status, 422);
      }
      assert.deepEqual(await quarry.ok('POST', '/v1/collections/notes/refresh_all'), []);
      assert.equal((await quarry.ok('DELETE', url)).id, made.id);
    } finally {
      await quarry.close();
      rmSync(dir, { recursive: true });
    }
  });
});
