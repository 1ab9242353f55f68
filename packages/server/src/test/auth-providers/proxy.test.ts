/** Connections whose requests a custom auth provider forwards: the server that docs/auth-providers.md shows. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { json } from '../sources/cloud-peer.ts';
import { isLeftToSqlite } from '../tier.ts';
import { until } from '../until.ts';
import { openExample } from './example.ts';
import { openProviderHouse, type ProviderHouse } from './house.ts';

const SECRET = 'the-secret-of-the-server';
const TOKEN = 'token-that-stays-there';
const PROXY = { connection_id: 'ann', mode: 'proxy' };

for (const database of DATABASES)
  describe(`requests through a custom auth provider on ${database.name}`, () => {
    let house: ProviderHouse;
    let example: Awaited<ReturnType<typeof openExample>>;
    const logged: string[] = [];

    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openProviderHouse(database, { log });
      example = await openExample({ SECRET, TOKEN, SERVICE: house.service.baseUrl });
      await house.addProvider('custom', { url: example.url, secret: SECRET });
    });
    after(async () => {
      await house.close();
      await example.close();
    });
    beforeEach(() => {
      house.service.accepted.add(`Bearer ${TOKEN}`);
      house.service.peer.requests.length = 0;
      house.service.files.requests.length = 0;
    });
    afterEach(() => {
      house.service.peer.fault = () => undefined;
    });
    /** Admissions are numbered. Those that have left their window are removed, apart from the newest. */
    async function counted(): Promise<number> {
      const { newest } = await house.db
        .selectFrom('source_admissions')
        .innerJoin('source_windows', 'source_windows.id', 'window_id')
        .select(({ fn }) => fn.max('seq').as('newest'))
        .where('source_short_name', '=', 'provider_proxy')
        .executeTakeFirstOrThrow();
      return Number(newest);
    }

    it('[AUTH-35] a sync goes through the proxy, and its credentials never come here', async () => {
      const { id, auth } = await house.connected({ provider_config: PROXY });
      assert.deepEqual(
        [auth.method, auth.account, auth.expires_at],
        ['auth_provider', 'ann', null],
      );
      const { status, entities_inserted } = await house.sync(id);
      assert.deepEqual([status, entities_inserted], ['completed', 6]);
      const { requests } = house.service.peer;
      assert.deepEqual(
        requests.map(({ url, headers }) => [url.pathname, headers.authorization]),
        ['/me', '/page/0', '/page/1', '/page/2'].map((path) => [path, `Bearer ${TOKEN}`]),
      );
      for (const { headers } of requests) {
        assert.equal(headers['user-agent'], 'Quarry');
        assert.ok(!('quarry-target' in headers));
      }
      assert.equal(await house.tokensOf(id), undefined);
      assert.ok(!logged.join('').includes(TOKEN) && !logged.join('').includes(SECRET));
    });

    it('[AUTH-35] [LIM-17] each request that is forwarded counts for provider_proxy', async () => {
      const before = await counted();
      const { id } = await house.connected({ provider_config: PROXY });
      await house.sync(id);
      assert.equal((await counted()) - before, 4);
      const token = await house.connected({});
      await house.sync(token.id);
      assert.equal((await counted()) - before, 4, 'the mode token does not count');
    });

    if (isLeftToSqlite(database)) return;

    it('[AUTH-35] headers of the answer, redirects and streams are those of the service', async () => {
      const linked = await house.connected({ short_name: 'linked_notes', provider_config: PROXY });
      assert.equal((await house.sync(linked.id)).entities_inserted, 6, 'the link to the next page');
      const files = await house.connected({ short_name: 'file_notes', provider_config: PROXY });
      house.service.peer.requests.length = 0;
      assert.equal((await house.sync(files.id)).entities_inserted, 3);
      assert.deepEqual(
        house.service.peer.requests.map(({ url }) => url.pathname + url.search),
        ['/file', '/moved?of=ann', '/page/0'],
      );
      const [stored] = house.service.files.requests;
      assert.equal(house.service.files.requests.length, 1);
      assert.deepEqual(
        [stored?.headers.authorization, stored?.headers['quarry-target']],
        [undefined, undefined],
        'the store of files gets no credentials',
      );
      const path = `/v1/collections/${files.readable_collection_id}/search`;
      const found = await house.ok('POST', path, { query: 'herons' });
      assert.match(found.results[0].md_content, /herons/);
    });

    it('[AUTH-35] bodies are those of the source', async () => {
      const { id } = await house.connected({ short_name: 'query_notes', provider_config: PROXY });
      assert.equal((await house.sync(id)).entities_inserted, 6);
    });

    it('[AUTH-35] a live search goes through the proxy', async () => {
      const made = await house.connected({ short_name: 'live_notes', provider_config: PROXY });
      const path = `/v1/collections/${made.readable_collection_id}/search`;
      assert.equal((await house.ok('POST', path, { query: 'text' })).results.length, 2);
    });

    it('[AUTH-35] what the service refuses is its own refusal, and not one of the provider', async () => {
      const { id } = await house.connected({ provider_config: PROXY });
      house.service.peer.fault = ({ url }) =>
        url.pathname === '/page/1' ? json(401, { message: 'the token was revoked' }) : undefined;
      await house.sync(id);
      const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.equal(job.error_details.code, 'auth');
      assert.match(job.error_details.message, /\/page\/1 answered 401.*the token was revoked$/);
      const { status } = await house.show(id);
      assert.equal(status, 'NEEDS_REAUTH');
    });

    it('[AUTH-35] an unknown connection, and a wrong secret, are errors that name the provider', async () => {
      const { status, body } = await house.connect({
        provider_config: { connection_id: 'nobody', mode: 'proxy' },
      });
      assert.equal(status, 422);
      assert.match(
        body.detail[0].msg,
        /'sign-in' \(custom\) says that it does not have the connection$/,
      );
      const { id } = await house.connected({ provider_config: PROXY });
      await example.start({ SECRET: 'another-secret-than-before' });
      await house.sync(id);
      const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.match(job.error_details.message, /refuses its own credentials: wrong secret$/);
      await example.start();
      assert.equal((await house.sync(id)).status, 'completed');
      assert.equal((await house.show(id)).status, 'ACTIVE');
    });

    it('[AUTH-35] a proxy that is down for a while is waited for', async () => {
      const { id } = await house.connected({ provider_config: PROXY });
      await example.stop();
      await house.ok('POST', `/v1/source-connections/${id}/run`);
      await until(() => house.isWaiting(id));
      await example.start();
      const { status, sync_metadata } = await house.settled(id, { hurry: true });
      assert.equal(status, 'completed');
      assert.ok(sync_metadata.attempt > 1, 'the first attempt met no proxy');
      assert.equal((await house.show(id)).status, 'ACTIVE');
    });
  });
