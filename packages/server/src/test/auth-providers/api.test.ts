/** The routes of auth providers: who may do what, what comes back, and what is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { type CloudPeer, json, openCloudPeer } from '../sources/cloud-peer.ts';
import { isLeftToSqlite } from '../tier.ts';
import { openProviderHouse, type ProviderHouse } from './house.ts';

const SECRET = 'the-secret-of-the-server';
const ROUTE = '/v1/auth-providers';

for (const database of DATABASES)
  describe(`auth providers on ${database.name}`, () => {
    let house: ProviderHouse;
    let server: CloudPeer;
    const logged: string[] = [];
    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openProviderHouse(database, { log });
      server = await openCloudPeer(({ headers, url }) => {
        if (headers.authorization !== `Bearer ${SECRET}`)
          return json(401, { error: `${headers.authorization} is wrong` });
        if (url.pathname === '/') return json(200, {});
        return json(200, { credentials: { access_token: 'token-1' } });
      });
      house.service.accepted.add('Bearer token-1');
    });
    after(async () => {
      await house.close();
      await server.close();
    });

    const input = (over: object = {}) => ({
      name: 'Our sign-in',
      short_name: 'custom',
      credentials: { url: server.baseUrl, secret: SECRET },
      ...over,
    });
    const keyOf = async (role: string) =>
      (await house.ok('POST', '/v1/api-keys', { name: role, role })).key;
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    async function refused(
      [method, url]: readonly ['POST' | 'PUT', string],
      body: object,
      { status, loc, message }: { status: number; loc?: readonly string[]; message: RegExp },
    ) {
      const answer = await house.call(method, url, body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      const [fault] = loc ? answer.body.detail : [{ loc, msg: answer.body.detail }];
      assert.deepEqual(fault.loc, loc);
      assert.match(fault.msg, message);
      return answer.body;
    }

    it('[AUTH-34] an admin adds, lists, changes and deletes them, and credentials never come back', async () => {
      const made = await house.ok('POST', ROUTE, input({ readable_id: 'sign-in' }));
      const { id, created_at: createdAt, ...rest } = made;
      assert.deepEqual(rest, {
        organization_id: made.organization_id,
        readable_id: 'sign-in',
        name: 'Our sign-in',
        short_name: 'custom',
        modified_at: createdAt,
        created_by_email: 'owner@localhost',
        modified_by_email: 'owner@localhost',
      });
      const { readable_id } = await house.ok('POST', ROUTE, input({ name: '日本' }));
      assert.match(readable_id, /^provider-[a-z0-9]{6}$/);
      const list = await house.call('GET', `${ROUTE}?limit=1`);
      assert.deepEqual(
        [list.headers['x-total-count'], list.body.map((one: typeof made) => one.readable_id)],
        ['2', [readable_id]],
      );
      const changed = await house.ok('PUT', `${ROUTE}/sign-in`, { name: 'Sign-in' });
      assert.deepEqual([changed.id, changed.name], [id, 'Sign-in']);
      assert.ok(changed.modified_at > made.modified_at);
      await house.ok('PUT', `${ROUTE}/sign-in`, input({ readable_id: 'sign-in' }));
      assert.deepEqual((await house.ok('GET', `${ROUTE}/sign-in`)).name, 'Our sign-in');
      assert.equal((await house.ok('DELETE', `${ROUTE}/${readable_id}`)).readable_id, readable_id);
      assert.equal((await house.call('GET', `${ROUTE}/${readable_id}`)).status, 404);
      const rows = await house.db.selectFrom('auth_providers').selectAll().execute();
      assert.equal(rows.length, 1);
      const texts = JSON.stringify([made, changed, list.body, rows]) + logged.join('');
      assert.ok(!texts.includes(SECRET));
    });

    it('[AUTH-34] one in use answers 409, and can be deleted after its connections', async () => {
      const { id } = await house.connected({ name: 'My notes of Ann' });
      const { status, body } = await house.call('DELETE', `${ROUTE}/sign-in`);
      assert.deepEqual([status, body.code], [409, 'conflict']);
      assert.match(body.detail, /'My notes of Ann'; delete them first/);
      await house.ok('DELETE', `/v1/source-connections/${id}`);
      await house.ok('DELETE', `${ROUTE}/sign-in`);
      await house.ok('POST', ROUTE, input({ readable_id: 'sign-in' }));
    });

    it('[AUTH-34] members use one in a connection, and only admins see or change it', async () => {
      const member = as(await keyOf('member'));
      for (const [method, url] of [
        ['GET', ROUTE],
        ['POST', ROUTE],
        ['GET', `${ROUTE}/sign-in`],
        ['PUT', `${ROUTE}/sign-in`],
        ['DELETE', `${ROUTE}/sign-in`],
      ] as const) {
        const body = method === 'POST' ? input() : method === 'PUT' ? {} : undefined;
        assert.equal((await house.call(method, url, body, member)).status, 403, method);
      }
      await house.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'of-member' });
      const made = await house.call(
        'POST',
        '/v1/source-connections',
        {
          name: 'My notes',
          short_name: 'oauth_notes',
          readable_collection_id: 'of-member',
          authentication: {
            provider_readable_id: 'sign-in',
            provider_config: { connection_id: 'ann' },
          },
        },
        member,
      );
      assert.equal(made.status, 200, JSON.stringify(made.body));
    });

    it('[AUTH-34] another organization has none of them', async () => {
      const other = await house.ok('POST', '/v1/organizations', { name: 'Other' });
      const headers = { 'x-organization-id': other.id };
      const call = (method: 'GET' | 'PUT' | 'DELETE' | 'POST', url: string, body?: object) =>
        house.call(method, url, body, headers);
      assert.deepEqual((await call('GET', ROUTE)).body, []);
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const body = method === 'PUT' ? { name: 'Mine' } : undefined;
        const { status } = await call(method, `${ROUTE}/sign-in`, body);
        assert.equal(status, 404, method);
      }
      await call('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes-other' });
      const { status, body } = await call('POST', '/v1/source-connections', {
        name: 'My notes',
        short_name: 'oauth_notes',
        readable_collection_id: 'notes-other',
        auth: { auth_provider: { provider_readable_id: 'sign-in' } },
      });
      assert.equal(status, 404);
      assert.match(body.detail, /auth provider 'sign-in' does not exist/);
      assert.equal((await call('POST', ROUTE, input({ readable_id: 'sign-in' }))).status, 200);
    });

    if (isLeftToSqlite(database)) return;

    it('[AUTH-34] credentials that the provider refuses, or that it cannot have, are not saved', async () => {
      const before = (await house.ok('GET', ROUTE)).length;
      const loc = ['body', 'credentials'];
      const post = ['POST', ROUTE] as const;
      const wrong = input({ credentials: { url: server.baseUrl, secret: 'wrong-secret' } });
      const { code } = await refused(post, wrong, {
        status: 422,
        loc,
        message:
          /^the auth provider 'our-sign-in-\w{6}' \(custom\) refuses its own credentials: \[secret\] is wrong$/,
      });
      assert.equal(code, 'credentials_refused');
      await refused(
        ['PUT', `${ROUTE}/sign-in`],
        { credentials: wrong.credentials },
        {
          status: 422,
          loc,
          message: /refuses its own credentials/,
        },
      );
      const closed = await openCloudPeer(() => json(200, {}));
      await closed.close();
      const down = { url: closed.baseUrl, secret: SECRET };
      const unreachable = await refused(post, input({ credentials: down }), {
        status: 422,
        loc,
        message: /did not answer as expected .*ECONNREFUSED/,
      });
      assert.equal(unreachable.code, 'provider_unreachable');
      for (const [credentials, field, message] of [
        [{ url: 'http://example.com', secret: SECRET }, 'url', /https/],
        [{ url: server.baseUrl, secret: 'a\nb' }, 'secret', /cannot be sent/],
        [{ url: server.baseUrl, secret: SECRET, more: 1 }, 'more', /is not known/],
        [{ url: server.baseUrl }, 'secret', /is required/],
      ] as const)
        await refused(post, input({ credentials }), {
          status: 422,
          loc: [...loc, field],
          message,
        });
      await refused(post, input({ readable_id: 'sign-in' }), {
        status: 409,
        message: /choose another/,
      });
      await refused(
        ['PUT', `${ROUTE}/sign-in`],
        { short_name: 'nango' },
        {
          status: 422,
          loc: ['body', 'short_name'],
          message: /cannot change/,
        },
      );
      assert.equal((await house.ok('GET', ROUTE)).length, before);
      assert.ok(!logged.join('').includes(SECRET));
    });

    it('[AUTH-07] a connection that the provider cannot have is refused by its field', async () => {
      const config = (provider_config: object) => house.connect({ provider_config });
      for (const [given, field, message] of [
        [{}, 'connection_id', /is required/],
        [{ connection_id: '..' }, 'connection_id', /not a name/],
        [{ connection_id: 'a\nb' }, 'connection_id', /not a name/],
        [{ connection_id: 'ann', mode: 'magic' }, 'mode', /expected one of/],
        [{ connection_id: 'ann', account_id: 'b' }, 'account_id', /is not known/],
      ] as const) {
        const { status, body } = await config(given);
        assert.equal(status, 422, JSON.stringify(given));
        const loc = ['body', 'auth', 'auth_provider', 'provider_config', field];
        assert.deepEqual(body.detail[0].loc, loc);
        assert.match(body.detail[0].msg, message);
      }
      assert.equal((await house.connect({ provider: 'nobody' })).status, 404);
      const files = await house.connect({ short_name: 'oauth_notes', auth: undefined });
      assert.equal(
        files.body.auth?.method ?? files.body.detail[0].msg,
        'to sign in to Notes you need your own OAuth client: register one, and give its client_id and client_secret',
      );
    });

    it('every source of the catalog that asks over HTTP supports all kinds', async () => {
      const sources = await house.ok('GET', '/v1/sources');
      for (const { auth_methods, supported_auth_providers } of sources) {
        assert.ok(auth_methods.includes('auth_provider'));
        assert.deepEqual(supported_auth_providers, ['custom', 'nango', 'composio', 'pipedream']);
      }
      assert.ok(sources.length > 3);
    });
  });
