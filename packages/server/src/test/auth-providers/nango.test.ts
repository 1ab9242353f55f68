/** Connections whose credentials Nango keeps, and gives or uses for us. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { type SkippedWaits, skipWaits } from '../skip-waits.ts';
import { json } from '../sources/cloud-peer.ts';
import { isLeftToSqlite } from '../tier.ts';
import { openProviderHouse, type ProviderHouse } from './house.ts';
import { type NangoPeer, type NangoPeerConnection, oauth2, openNangoPeer } from './nango-peer.ts';
import { PAUSE_MS, testVendor, type Vendor } from './vendor-suite.ts';

const ANN = 'notes/ann';
const PLACE = { connection_id: 'ann', integration_id: 'notes' };
const PATH = '/connections/ann?provider_config_key=notes';
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

let nango: NangoPeer;
/** Signs Ann in, so that Nango has this token of her. */
function signIn(token: string, expiresAt?: string): NangoPeerConnection {
  const connection = {
    credentials: oauth2(token, expiresAt),
    renew: () => oauth2(token, expiresAt),
    isBackingOff: false,
    isExhausted: false,
  };
  nango.connections.set(ANN, connection);
  return connection;
}

async function open(): Promise<Vendor> {
  nango = await openNangoPeer();
  const { peer, secretKey: secret_key } = nango;
  return {
    peer,
    credentials: { secret_key, base_url: peer.baseUrl },
    wrong: { secret_key: 'aaaaaaaa-9a44-4f0e-8b52-7c2b6a0f4711', base_url: peer.baseUrl },
    refusal:
      /^the auth provider 'other-\w{6}' \(nango\) refuses its own credentials: Authentication/,
    place: PLACE,
    nobody: { connection_id: 'nobody', provider_config_key: 'notes' },
    unknown: /says that it does not have the connection$/,
    secrets: [secret_key],
    hold: signIn,
    renewTo(token) {
      const connection = nango.connections.get(ANN);
      assert.ok(connection);
      connection.renew = () => oauth2(token);
    },
    forget: () => nango.connections.delete(ANN),
    asked: () =>
      peer.requests
        .splice(0)
        .map(({ url }) => url.pathname + url.search)
        .filter((path) => path !== '/connections?limit=1'),
    paths: { first: [PATH], renewed: [PATH, `${PATH}&force_refresh=true`] },
    broken: json(500, { error: { code: 'server_error', message: 'Failed to get connection' } }),
  };
}

testVendor('nango', open, (opened, isWhole) => {
  it('[AUTH-35] a token that ends is asked for again, ahead of its end', async () => {
    const { house } = opened();
    signIn('token-of-ann-1', soon(3_600_000));
    const { id } = await house.connected({ provider_config: PLACE });
    await house.sync(id);
    const left = Date.parse((await house.show(id)).auth.expires_at) - Date.now();
    assert.ok(left > 3_500_000 && left < 3_700_000, `${left} ms`);
    house.service.accepted.add('Bearer token-of-ann-3');
    signIn('token-of-ann-3');
    await house.expire(id);
    await house.sync(id);
    assert.equal(
      house.service.peer.requests.at(-1)?.headers.authorization,
      'Bearer token-of-ann-3',
    );
  });
  if (!isWhole) return;

  it('[AUTH-07] integration_id and provider_config_key are two names of one field', async () => {
    const { house } = opened();
    const both = { ...PLACE, provider_config_key: 'notes' };
    for (const provider_config of [both, { connection_id: 'ann', provider_config_key: 'notes' }])
      await house.connected({ provider_config });
    for (const provider_config of [
      { ...both, provider_config_key: 'x' },
      { connection_id: 'ann' },
    ]) {
      const { status, body } = await house.connect({ provider_config });
      assert.equal(status, 422);
      assert.equal(body.detail[0].loc.at(-1), 'integration_id');
    }
    const other = await house.connect({ provider_config: { ...PLACE, integration_id: 'tasks' } });
    assert.match(other.body.detail[0].msg, /does not have the integration of the connection$/);
  });

  it('[AUTH-07] a renewal that has failed is tried again, and one that failed for days needs a person', async () => {
    const { house } = opened();
    const { id } = await house.connected({ provider_config: PLACE });
    await house.sync(id);
    const connection = signIn('token-of-ann-1', soon(-1000));
    await house.expire(id);
    let asked = 0;
    nango.peer.fault = () => {
      // The service of the connection refuses, then Nango waits before it asks again, and then all is well.
      connection.renew = () => (asked === 1 ? null : oauth2('token-of-ann-1'));
      if (asked++ > 1) connection.isBackingOff = false;
      return undefined;
    };
    assert.equal((await house.syncWithoutRests(id)).status, 'completed');
    assert.ok(asked > 2, `${asked} requests`);
    assert.equal((await house.show(id)).status, 'ACTIVE');
    nango.peer.fault = () => undefined;
    connection.isExhausted = true;
    await house.expire(id);
    await house.sync(id);
    const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
    assert.equal(job.error_details.code, 'auth');
    assert.match(
      job.error_details.message,
      /somebody has to sign in again \(The refresh limit has been reached for this connection\.\)$/,
    );
  });

  it('[AUTH-07] credentials of other types sign in to sources that take them', async () => {
    const { house } = opened();
    for (const [short_name, credentials, signature] of [
      ['key_notes', { type: 'API_KEY', apiKey: 'key-of-ann' }, 'Bearer key-of-ann'],
      [
        'oauth_notes',
        { type: 'OAUTH2_CC', token: 'cc-of-ann', client_id: 'a', client_secret: 'b', raw: {} },
        'Bearer cc-of-ann',
      ],
      [
        'pair_notes',
        { type: 'CUSTOM', raw: { email: 'a@b.c', api_token: 'pair-of-ann' } },
        `Basic ${btoa('a@b.c:pair-of-ann')}`,
      ],
    ] as const) {
      signIn('').credentials = credentials;
      house.service.accepted.add(signature);
      const { id } = await house.connected({ short_name, provider_config: PLACE });
      assert.equal((await house.sync(id)).entities_inserted, 6, short_name);
      assert.equal(house.service.peer.requests.at(-1)?.headers.authorization, signature);
    }
    signIn('').credentials = { type: 'BASIC', username: 'ann', password: 'word-of-ann' };
    const { body } = await house.connect({ short_name: 'pair_notes', provider_config: PLACE });
    assert.match(body.detail[0].msg, /gave username, password, and Notes takes email, api_token$/);
  });

  it('[AUTH-34] [AUTH-07] a key without a scope says which scope is missing', async () => {
    const { house, vendor } = opened();
    const { scopes } = nango;
    scopes.delete('list');
    await house.addProvider('nango', vendor.credentials, 'narrow');
    scopes.delete('read_credentials');
    const { body } = await house.connect({ provider: 'narrow', provider_config: PLACE });
    assert.match(
      body.detail[0].msg,
      /\(nango\) gave the connection without its credentials\. .* environment:connections:read_credentials in Nango\.$/,
    );
    scopes.delete('read');
    const none = await house.connect({ provider: 'narrow', provider_config: PLACE });
    assert.match(none.body.detail[0].msg, /answered 403: Insufficient scope/);
    for (const scope of ['list', 'read', 'read_credentials'] as const) scopes.add(scope);
  });
});

for (const database of DATABASES)
  describe(`requests through Nango on ${database.name}`, () => {
    const TOKEN = 'token-that-nango-keeps';
    const PROXY = { ...PLACE, mode: 'proxy' };
    let house: ProviderHouse;
    const logged: string[] = [];
    let waits: SkippedWaits;
    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openProviderHouse(database, { log });
      const { credentials } = await open();
      await house.addProvider('nango', credentials);
    });
    after(async () => {
      await house.close();
      await nango.peer.close();
    });
    beforeEach(() => {
      waits = skipWaits(PAUSE_MS);
      house.service.accepted.add(`Bearer ${TOKEN}`);
      signIn(TOKEN);
      house.service.peer.requests.length = 0;
      house.service.files.requests.length = 0;
      nango.peer.requests.length = 0;
    });
    afterEach(() => {
      waits.restore();
      nango.peer.fault = () => undefined;
      house.service.peer.fault = () => undefined;
      const text = logged.join('');
      for (const secret of [TOKEN, nango.secretKey]) assert.ok(!text.includes(secret));
      logged.length = 0;
    });
    async function failureOf(id: string) {
      assert.equal((await house.sync(id)).status, 'failed');
      const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      return job.error_details;
    }

    it('[AUTH-35] a sync goes through the proxy, and its token never comes here', async () => {
      const { id, auth } = await house.connected({ provider_config: PROXY });
      assert.deepEqual([auth.method, auth.account], ['auth_provider', 'ann']);
      const { status, entities_inserted } = await house.sync(id);
      assert.deepEqual([status, entities_inserted], ['completed', 6]);
      const paths = ['/me', '/page/0', '/page/1', '/page/2'];
      assert.deepEqual(
        nango.peer.requests.map(({ url }) => url.pathname),
        paths.map((path) => `/proxy${path}`),
      );
      for (const { headers } of nango.peer.requests) {
        assert.equal(headers['base-url-override'], house.service.baseUrl);
        assert.equal(headers['provider-config-key'], 'notes');
        assert.equal(headers['connection-id'], 'ann');
      }
      assert.deepEqual(
        house.service.peer.requests.map(({ url, headers }) => [
          url.pathname,
          headers.authorization,
        ]),
        paths.map((path) => [path, `Bearer ${TOKEN}`]),
      );
      for (const { headers } of house.service.peer.requests) {
        assert.deepEqual([headers.accept, headers['user-agent']], ['application/json', 'Quarry']);
        assert.ok(!JSON.stringify(headers).includes(nango.secretKey));
        assert.ok(!Object.keys(headers).some((name) => /nango|connection-id|config/.test(name)));
      }
      assert.equal(await house.tokensOf(id), undefined);
    });
    if (isLeftToSqlite(database)) return;

    it('[AUTH-35] Nango renews the token before it forwards', async () => {
      const { id } = await house.connected({ provider_config: PROXY });
      signIn('token-that-has-ended', soon(-1000)).renew = () => oauth2(TOKEN);
      assert.equal((await house.sync(id)).status, 'completed');
      assert.equal(house.service.peer.requests.at(-1)?.headers.authorization, `Bearer ${TOKEN}`);
    });

    it('[AUTH-35] Nango follows redirects, and takes the token to no other host', async () => {
      const { id } = await house.connected({ short_name: 'file_notes', provider_config: PROXY });
      assert.equal((await house.sync(id)).entities_inserted, 3);
      const moved = house.service.peer.requests.find(({ url }) => url.pathname === '/moved');
      assert.equal(moved?.url.search, '?of=ann');
      const [stored, ...others] = house.service.files.requests;
      assert.deepEqual([stored?.headers.authorization, others.length], [undefined, 0]);
    });

    it('[AUTH-35] Nango passes on bodies', async () => {
      const { id } = await house.connected({ short_name: 'query_notes', provider_config: PROXY });
      assert.equal((await house.sync(id)).entities_inserted, 6);
    });

    it('[AUTH-35] a header that Nango hides is an error and not the end of the listing', async () => {
      const { id } = await house.connected({ short_name: 'linked_notes', provider_config: PROXY });
      const { code, message, hint } = await failureOf(id);
      assert.equal(code, 'config');
      assert.match(
        message,
        /\(nango\) does not pass on the header 'link', which the source needs$/,
      );
      assert.equal(hint, 'Use the mode token.');
    });

    it('[AUTH-35] what the service refuses is its own refusal, and not one of Nango', async () => {
      const { id } = await house.connected({ provider_config: PROXY });
      for (const [status, body] of [
        [401, { message: 'the token was revoked' }],
        [401, { error: { code: 'unauthorized', message: 'the token was revoked' } }],
      ] as const) {
        house.service.peer.fault = ({ url }) =>
          url.pathname === '/page/1' ? json(status, body) : undefined;
        const { code, message } = await failureOf(id);
        assert.equal(code, 'auth');
        assert.match(message, /\/page\/1 answered 401.*the token was revoked$/);
        assert.doesNotMatch(message, /nango/);
      }
      house.service.peer.fault = () => undefined;
      assert.equal((await house.sync(id)).status, 'completed');
    });

    it('[AUTH-35] what Nango itself refuses names Nango, and says what to do', async () => {
      const { limits, scopes, connections } = nango;
      const { id } = await house.connected({ provider_config: PROXY });
      await house.sync(id);
      const connection = signIn(TOKEN);
      const cases: readonly [string, () => void, string, RegExp][] = [
        ['gone', () => connections.delete(ANN), 'auth', /does not have the connection$/],
        [
          'exhausted',
          () => {
            connection.isExhausted = true;
          },
          'auth',
          /somebody has to sign in again \(.*The refresh limit has been reached/,
        ],
        ['scope', () => scopes.delete('proxy'), 'config', /Insufficient scope/],
        [
          'override',
          () => {
            limits.allowsOverride = false;
          },
          'config',
          /does not forward requests to the address of the source$/,
        ],
        [
          'plan',
          () => {
            limits.isCapped = true;
          },
          'config',
          /answered 402: Your plan limits have been reached\.$/,
        ],
      ];
      for (const [name, spoil, code, message] of cases) {
        spoil();
        const fault = await failureOf(id);
        assert.equal(fault.code, code, `${name}: ${fault.message}`);
        assert.match(fault.message, /^the auth provider 'sign-in' \(nango\) /, name);
        assert.match(fault.message, message, name);
        const { status, entities } = await house.show(id);
        assert.equal(entities.total_entities, 6, name);
        assert.equal(status === 'NEEDS_REAUTH', code === 'auth', name);
        connection.isExhausted = false;
        connections.set(ANN, connection);
        scopes.add('proxy');
        Object.assign(limits, { allowsOverride: true, isCapped: false });
        assert.equal((await house.sync(id)).status, 'completed', name);
      }
      const nobody = { ...PROXY, integration_id: 'tasks' };
      const { status, body } = await house.connect({ provider_config: nobody });
      assert.equal(status, 422);
      assert.match(body.detail[0].msg, /does not have the integration of the connection$/);
    });

    it('[AUTH-35] Nango is waited for while it is down or cannot renew', async () => {
      const { id } = await house.connected({ provider_config: PROXY });
      await house.sync(id);
      const connection = signIn(TOKEN);
      const HTML = { status: 502, body: '<html>Bad gateway</html>' };
      const limited = json(429, { error: { code: 'too_many_request' } }, { 'retry-after': '1' });
      for (const fault of [HTML, limited, 'cut', 'refused'] as const) {
        let asked = 0;
        connection.credentials = oauth2(TOKEN, soon(fault === 'refused' ? -1000 : 3_600_000));
        connection.renew = () => (asked === 1 ? null : oauth2(TOKEN));
        nango.peer.fault = () => {
          if (asked++ > 1) connection.isBackingOff = false;
          return asked <= 2 && fault !== 'refused' ? fault : undefined;
        };
        assert.equal((await house.sync(id)).status, 'completed', String(fault));
        assert.ok(asked > 2, String(fault));
        assert.equal((await house.show(id)).status, 'ACTIVE');
      }
    });

    it('[AUTH-35] a key that Nango no longer accepts fails the job by its name', async () => {
      const { id } = await house.connected({ provider_config: PROXY });
      nango.peer.fault = () =>
        json(401, { error: { code: 'unknown_account', message: `no ${nango.secretKey}` } });
      const { code, message } = await failureOf(id);
      assert.equal(code, 'config');
      assert.match(message, /\(nango\) refuses its own credentials$/);
    });
  });
