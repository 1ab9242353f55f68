/** Connections through a server of one's own, which speaks the protocol of docs/auth-providers.md. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { type CloudPeer, json, openCloudPeer, type PeerAnswer } from '../sources/cloud-peer.ts';
import { isLeftToSqlite } from '../tier.ts';
import { openProviderHouse, type ProviderHouse } from './house.ts';

const SECRET = 'the-secret-of-the-server';
const LIVE_ONE = { short_name: 'live_notes' };
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

for (const database of DATABASES)
  describe(`credentials of a custom auth provider on ${database.name}`, () => {
    let house: ProviderHouse;
    let server: CloudPeer;
    const logged: string[] = [];
    /** The server gives these credentials. */
    let given: Record<string, unknown> = {};
    let expiresAt: string | undefined;
    /** It is called when fresh credentials are asked for. */
    let renew: () => void = () => {};

    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openProviderHouse(database, { log });
      server = await openCloudPeer(async ({ headers, url }): Promise<PeerAnswer> => {
        if (headers.authorization !== `Bearer ${SECRET}`) return json(401, { error: 'no' });
        if (!url.pathname.endsWith('/credentials')) return json(200, {});
        if (!url.pathname.includes('/ann/')) return json(404, { error: 'unknown' });
        if (url.searchParams.get('fresh')) renew();
        return json(200, { credentials: given, ...(expiresAt && { expires_at: expiresAt }) });
      });
      await house.addProvider('custom', { url: server.baseUrl, secret: SECRET });
    });
    after(async () => {
      await house.close();
      await server.close();
    });
    beforeEach(() => {
      house.service.accepted.clear();
      accept('token-1');
      given = { access_token: 'token-1' };
      expiresAt = undefined;
      renew = () => {};
      server.requests.length = 0;
      house.service.peer.requests.length = 0;
    });
    afterEach(() => {
      server.fault = () => undefined;
      house.service.peer.fault = () => undefined;
      logged.length = 0;
    });

    const accept = (token: string) => house.service.accepted.add(`Bearer ${token}`);
    const asked = () =>
      server.requests.map(({ url }) => url.pathname + url.search).filter((path) => path !== '/');
    const PATH = '/connections/ann/credentials?source=oauth_notes';
    const search = (collection: string) =>
      house.ok('POST', `/v1/collections/${collection}/search`, { query: 'text' });
    async function failedJob(id: string) {
      await house.sync(id);
      const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.equal(job.status, 'FAILED', JSON.stringify(job));
      return job.error_details;
    }

    it('[AUTH-07] [AUTH-09] syncs with the token of the provider, which is asked once until it ends', async () => {
      expiresAt = soon(3_600_000);
      const { id, auth } = await house.connected();
      assert.deepEqual([auth.method, auth.account], ['auth_provider', 'ann']);
      const { status, entities_inserted } = await house.sync(id);
      assert.deepEqual([status, entities_inserted], ['completed', 6]);
      await house.sync(id);
      assert.deepEqual(asked(), [PATH, PATH], 'one for the check, one for both syncs');
      const shown = await house.show(id);
      assert.ok(Math.abs(Date.parse(shown.auth.expires_at) - Date.parse(expiresAt)) < 60_000);
      const row = await house.tokensOf(id);
      const texts = JSON.stringify([shown, row]) + logged.join('');
      for (const secret of ['token-1', SECRET]) assert.ok(!texts.includes(secret));
    });

    it('[AUTH-07] a token that ends in the middle of a sync is asked for again, once, and fresh', async () => {
      const { id } = await house.connected();
      server.requests.length = 0;
      renew = () => {
        given = { access_token: 'token-2' };
        accept('token-2');
      };
      house.service.peer.fault = ({ url }) => {
        if (url.pathname === '/page/1') house.service.accepted.delete('Bearer token-1');
        return undefined;
      };
      const { status, entities_inserted, sync_metadata } = await house.sync(id);
      assert.deepEqual([status, entities_inserted, sync_metadata.attempt], ['completed', 6, 1]);
      assert.deepEqual(asked(), [PATH, PATH, `${PATH}&fresh=true`]);
    });

    it('[AUTH-07] a live search signs with the token, and again after a refusal', async () => {
      const { readable_collection_id: collection } = await house.connected(LIVE_ONE);
      assert.equal((await search(collection)).results.length, 2);
      house.service.accepted.clear();
      given = { access_token: 'token-2' };
      accept('token-2');
      const { metadata, results } = await search(collection);
      assert.deepEqual([metadata.federated[0].status, results.length], ['answered', 2]);
    });

    it('[AUTH-07] a provider without the connection means NEEDS_REAUTH, deletes nothing, and may have it again', async () => {
      const { id } = await house.connected();
      await house.sync(id);
      await house.expire(id);
      server.fault = ({ url }) =>
        url.pathname === '/' ? undefined : json(409, { error: 'consent was withdrawn' });
      const { code, message, hint } = await failedJob(id);
      assert.equal(code, 'auth');
      assert.match(
        message,
        /^the auth provider 'sign-in' \(custom\) says that somebody has to sign in again/,
      );
      assert.match(
        hint,
        /^Sign in again at the auth provider 'sign-in' \(custom\), and start a sync/,
      );
      const { status, entities } = await house.show(id);
      assert.deepEqual([status, entities.total_entities], ['NEEDS_REAUTH', 6]);
      server.fault = () => undefined;
      await house.endRest(id);
      assert.equal((await house.sync(id)).status, 'completed');
      assert.equal((await house.show(id)).status, 'ACTIVE');
    });

    it('[AUTH-07] a provider that is down is waited for, and ends no sign-in', async () => {
      const { id } = await house.connected();
      await house.sync(id);
      await house.expire(id);
      let failures = 0;
      server.fault = () => {
        failures++;
        void house.endRest(id);
        return failures <= 2 ? { status: 503, body: '<html>down</html>' } : undefined;
      };
      assert.equal((await house.sync(id)).status, 'completed');
      assert.ok(failures > 2);
      assert.equal((await house.show(id)).status, 'ACTIVE');
    });

    it('[AUTH-34] [AUTH-07] a refused secret fails the job by the name of the provider, until a PUT, which is felt at once', async () => {
      const { id } = await house.connected();
      await house.sync(id);
      await house.expire(id);
      server.fault = () => json(401, { error: `${SECRET} is revoked` });
      const { code, message, hint } = await failedJob(id);
      assert.equal(code, 'config');
      assert.equal(
        message,
        "the auth provider 'sign-in' (custom) refuses its own credentials: [secret] is revoked",
      );
      assert.match(hint, /PUT \/v1\/auth-providers\/sign-in/);
      assert.equal((await house.show(id)).entities.total_entities, 6);
      server.fault = () => undefined;
      await house.ok('PUT', '/v1/auth-providers/sign-in', {
        credentials: { url: server.baseUrl, secret: SECRET },
      });
      assert.equal(
        (await house.sync(id)).status,
        'completed',
        'the rest after the failure has ended',
      );
      given = { access_token: 'token-2' };
      accept('token-2');
      server.requests.length = 0;
      await house.ok('PUT', '/v1/auth-providers/sign-in', {
        credentials: { url: `${server.baseUrl}/`, secret: SECRET },
      });
      assert.equal((await house.sync(id)).status, 'completed');
      assert.deepEqual(asked(), [PATH], 'what the provider gave before is forgotten');
      assert.equal(house.service.peer.requests.at(-1)?.headers.authorization, 'Bearer token-2');
    });

    if (isLeftToSqlite(database)) return;

    it('[AUTH-07] the names of the fields, or the only secret, become the direct credentials of a source', async () => {
      for (const [short_name, credentials, signature] of [
        ['key_notes', { access_token: 'token-1' }, 'Bearer token-1'],
        ['key_notes', { apiKey: 'token-1' }, 'Bearer token-1'],
        ['key_notes', { key: 'token-1', other: 'x' }, 'Bearer token-1'],
        [
          'pair_notes',
          { email: 'a@b.c', api_token: 'pair-4711' },
          `Basic ${btoa('a@b.c:pair-4711')}`,
        ],
        [
          'client_notes',
          { client_id: 'me', client_secret: 'client-secret-4711' },
          'Bearer exchanged-4711',
        ],
      ] as const) {
        house.service.accepted.add(signature);
        given = credentials;
        const { id } = await house.connected({ short_name });
        assert.equal((await house.sync(id)).entities_inserted, 6, short_name);
        assert.equal(house.service.peer.requests.at(-1)?.headers.authorization, signature);
      }
      for (const [short_name, credentials, message] of [
        [
          'pair_notes',
          { username: 'a', password: 'b' },
          /gave username, password, and Notes takes email, api_token$/,
        ],
        ['oauth_notes', { key: 'x' }, /gave key, and Notes takes an OAuth access token$/],
      ] as const) {
        given = credentials;
        const { status, body } = await house.connect({ short_name });
        assert.equal(status, 422);
        assert.deepEqual(body.detail[0].loc, ['body', 'auth', 'auth_provider']);
        assert.match(body.detail[0].msg, message);
      }
    });

    it('[AUTH-07] direct credentials are asked for again after the service has refused them', async () => {
      given = { email: 'a@b.c', api_token: 'old' };
      house.service.accepted.add(`Basic ${btoa('a@b.c:old')}`);
      const { id } = await house.connected({ short_name: 'pair_notes' });
      await house.sync(id);
      house.service.accepted.clear();
      renew = () => {
        given = { email: 'a@b.c', api_token: 'new' };
        house.service.accepted.add(`Basic ${btoa('a@b.c:new')}`);
      };
      assert.equal((await house.sync(id)).status, 'completed');
    });

    it('[AUTH-09] the end of a token is read by the clock of the provider', async () => {
      const hour = 3_600_000;
      const date = new Date(Date.now() - 2 * hour).toUTCString();
      server.fault = ({ url }) =>
        url.pathname === '/'
          ? undefined
          : json(200, { credentials: given, expires_at: soon(-hour) }, { date });
      const { id } = await house.connected();
      await house.sync(id);
      const left = Date.parse((await house.show(id)).auth.expires_at) - Date.now();
      assert.ok(Math.abs(left - hour) < 60_000, `${left} ms`);
    });

    it('[AUTH-07] hostile answers are errors that name the provider, and show nothing of the token', async () => {
      const cases: readonly [PeerAnswer | 'cut', string, RegExp][] = [
        [
          { status: 200, body: '<html>hello</html>' },
          'source_unreachable',
          /did not answer as expected .*not JSON/,
        ],
        [{ status: 200, body: ' '.repeat(10_000_000) }, 'invalid', /over 262144 bytes/],
        ['cut', 'source_unreachable', /did not answer as expected/],
        [json(200, { token: 'x' }), 'invalid', /in a form that is not known/],
        [
          json(200, { credentials: { access_token: 'to-ken\nInjected: yes' } }),
          'invalid',
          /characters that cannot be sent/,
        ],
        [
          json(200, { credentials: { access_token: 'to-ken' }, expires_at: soon(-60_000) }),
          'source_unreachable',
          /gave credentials that ended at/,
        ],
        [
          { status: 302, headers: { location: 'http://169.254.169.254/latest' }, body: '' },
          'invalid',
          /follow no redirects/,
        ],
      ];
      for (const [fault, code, message] of cases) {
        server.fault = ({ url }) => (url.pathname === '/' ? undefined : fault);
        const { status, body } = await house.connect({});
        assert.deepEqual([status, body.code], [422, code], JSON.stringify(body));
        assert.match(body.detail[0].msg, /^the auth provider 'sign-in' \(custom\) /);
        assert.match(body.detail[0].msg, message);
        assert.ok(!(JSON.stringify(body) + logged.join('')).includes('to-ken'));
      }
      assert.equal(house.service.peer.requests.length, 0);
    });

    it('[AUTH-07] a PATCH with its auth provider signs a connection in again, which a live search needs', async () => {
      const { id, readable_collection_id: collection } = await house.connected(LIVE_ONE);
      server.fault = ({ url }) => (url.pathname === '/' ? undefined : json(404, {}));
      await house.expire(id);
      house.service.accepted.clear();
      await search(collection);
      assert.equal((await house.show(id)).status, 'NEEDS_REAUTH');
      server.fault = () => undefined;
      accept('token-1');
      const signIn = { provider_readable_id: 'sign-in', provider_config: { connection_id: 'ann' } };
      await house.ok('PATCH', `/v1/source-connections/${id}`, { auth: { auth_provider: signIn } });
      assert.equal((await house.show(id)).status, 'ACTIVE');
      assert.equal((await search(collection)).results.length, 2);
      const direct = { authentication: { credentials: { key: 'x' } } };
      const { status, body } = await house.call('PATCH', `/v1/source-connections/${id}`, direct);
      assert.equal(status, 422, JSON.stringify(body));
    });

    it('a network of the operator may have the provider, and no other private one', async () => {
      const env = { QUARRY_HOST: '0.0.0.0', QUARRY_ALLOW_LOOPBACK: 'false' };
      for (const [networks, status] of [
        ['', 422],
        ['127.0.0.0/8', 200],
      ] as const) {
        const other = await openProviderHouse(database, {
          env: { ...env, ...(networks && { QUARRY_SOURCE_NETWORKS: networks }) },
        });
        const credentials = { url: server.baseUrl, secret: SECRET };
        const answer = await other.call('POST', '/v1/auth-providers', {
          name: 'Sign-in',
          short_name: 'custom',
          credentials,
        });
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        if (status === 422) assert.match(answer.body.detail[0].msg, /QUARRY_SOURCE_NETWORKS/);
        await other.close();
      }
    });
  });
