import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import type { Role } from '../../model/role.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { caller } from '../inject.ts';
import { until } from '../until.ts';
import { browserOf, cookieOf, ORIGIN, signInAt, type TestBrowser } from './browser.ts';
import { buildApi, openTestApi, type TestApi } from './harness.ts';

const PASSWORD = 'a password of nine words is long enough here';
const HOUR = 3_600_000;

for (const database of DATABASES)
  describe(`sessions on ${database.name}`, () => {
    let api: TestApi;
    let email: string;
    let made = 0;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());
    beforeEach(async () => {
      email = `person-${made++}@example.com`;
      // Every test begins without failures, because all of them have the same address.
      await api.db.deleteFrom('sign_in_failures').execute();
    });

    async function join(role: Role, key?: string): Promise<void> {
      const body = { email, role };
      const invited = await api.call('POST', '/v1/members', { body, ...(key && { key }) });
      const token = must(invited.body.invitation_url.split('=')[1]);
      const accepted = { token, password: PASSWORD };
      const { status } = await api.call('POST', '/v1/auth/accept', { body: accepted, key: null });
      assert.equal(status, 200);
    }
    const signIn = () => signInAt(api, { email, password: PASSWORD });
    async function joined(role: Role): Promise<TestBrowser> {
      await join(role);
      return signIn();
    }
    const attempt = (body: object, options: object = {}) =>
      api.call('POST', '/v1/auth/sign-in', { key: null, body, ...options });
    const isSignedIn = async (browser: TestBrowser) =>
      (await browser('GET', '/v1/auth/me')).status === 200;
    /** Moves the times of all sessions into the past. */
    const age = (column: 'created_at' | 'last_used_at', ms: number) =>
      api.db
        .updateTable('sessions')
        .set((eb) => ({ [column]: eb(column, '-', Math.round(ms)) }))
        .execute();

    it('[MEM-04] a sign-in sets a cookie that scripts cannot read and other sites cannot send', async () => {
      await join('read');
      const answer = await attempt({ email: email.toUpperCase(), password: PASSWORD });
      const cookie = String(answer.headers['set-cookie']);
      assert.match(
        cookie,
        /^quarry_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      assert.ok(!JSON.stringify(answer.body).includes(PASSWORD));
      const [{ password_hash }, sessions] = [
        await api.db
          .selectFrom('users')
          .select('password_hash')
          .where('email', '=', email)
          .executeTakeFirstOrThrow(),
        await api.db.selectFrom('sessions').selectAll().execute(),
      ];
      assert.match(must(password_hash), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      const token = must(/=([\w-]+)/.exec(cookie)?.[1]);
      assert.ok(!JSON.stringify(sessions).includes(token));
    });

    it('[MEM-04] with https no other host can set the cookie, and one without the prefix counts for nothing', async () => {
      await join('read');
      const secure = buildApi(api, { origin: 'https://quarry.example.com' });
      const call = caller(secure, '');
      const body = { email, password: PASSWORD };
      const { headers } = await call('POST', '/v1/auth/sign-in', { key: null, body });
      const set = String(headers['set-cookie']);
      assert.match(
        set,
        /^__Host-quarry_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      const own = cookieOf({ headers });
      const planted = own.replace('__Host-', '');
      const asked = async (cookie: string) =>
        (await call('GET', '/v1/auth/me', { key: null, headers: { cookie } })).status;
      assert.deepEqual([await asked(own), await asked(planted)], [200, 401]);
      assert.equal(await asked(`${planted}; ${own.replace(/=.*/, '=x')}`), 401);
      const options = { key: null, headers: { cookie: own, origin: 'https://quarry.example.com' } };
      const out = await call('POST', '/v1/auth/sign-out', options);
      assert.match(String(out.headers['set-cookie']), /^__Host-quarry_session=; Max-Age=0; Path=/);
      assert.equal(await asked(own), 401);
      await secure.close();
    });

    it('[MEM-04] a wrong password and an unknown e-mail get the same answer', async () => {
      await join('read');
      const wrong = await attempt({ email, password: `${PASSWORD}.` });
      const unknown = await attempt({ email: 'nobody@example.com', password: PASSWORD });
      const without = await attempt({ email: 'owner@localhost', password: '' });
      assert.equal(wrong.status, 401);
      assert.deepEqual(unknown.body.detail, wrong.body.detail);
      assert.deepEqual([without.status, without.body.detail], [401, wrong.body.detail]);
      assert.deepEqual(
        [wrong.headers['set-cookie'], unknown.headers['set-cookie']],
        [undefined, undefined],
      );
    });

    it('[MEM-05] ten failures of an account within 15 minutes refuse the right password too', async () => {
      await join('read');
      for (let i = 0; i < 10; i++)
        assert.equal((await attempt({ email, password: 'wrong' })).status, 401);
      const refused = await attempt({ email, password: PASSWORD });
      assert.equal(refused.status, 429);
      const wait = Number(refused.headers['retry-after']);
      assert.ok(wait > 14 * 60 && wait <= 15 * 60, `${wait}`);
      // The refused one does not count, so the wait ends with the first failure.
      await api.db
        .updateTable('sign_in_failures')
        .set((eb) => ({ at: eb('at', '-', 15 * 60_000) }))
        .execute();
      assert.equal((await attempt({ email, password: PASSWORD })).status, 200);
    });

    it('[MEM-05] ten failures from an address refuse it for every account, over all API processes', async () => {
      await join('read');
      const second = buildApi(api);
      const elsewhere = caller(second, '');
      for (let i = 0; i < 10; i++) {
        const call = i % 2 ? elsewhere : api.call;
        const body = { email: `nobody-${i}@example.com`, password: 'wrong' };
        assert.equal((await call('POST', '/v1/auth/sign-in', { key: null, body })).status, 401);
      }
      for (const call of [elsewhere, api.call]) {
        const body = { email, password: PASSWORD };
        assert.equal((await call('POST', '/v1/auth/sign-in', { key: null, body })).status, 429);
      }
      await second.close();
    });

    it('[MEM-05] failures behind a trusted proxy count for the client that it names, and IPv6 clients by their network', async () => {
      await join('read');
      const proxied = buildApi(api, { trustedProxies: ['127.0.0.1'] });
      const through = caller(proxied, '');
      const signInFrom = (address: string, body: object) => {
        const headers = { 'x-forwarded-for': `192.0.2.99, ${address}` };
        return through('POST', '/v1/auth/sign-in', { key: null, body, headers });
      };
      const own = { email, password: PASSWORD };
      for (const [failing, same, other] of [
        [() => '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'],
        [(i: number) => `2001:db8:0:1:${i}::1`, '2001:db8:0:1::ffff', '2001:db8:0:2::1'],
        [(i: number) => `192.0.2.1:${i}`, 'unknown', '192.0.2.3'],
      ] as const) {
        await api.db.deleteFrom('sign_in_failures').execute();
        for (let i = 0; i < 10; i++) {
          const body = { email: `nobody-${i}@example.com`, password: 'wrong' };
          assert.equal((await signInFrom(failing(i), body)).status, 401);
        }
        assert.equal((await signInFrom(same, own)).status, 429, same);
        const signedIn = await signInFrom(other, own);
        assert.equal(signedIn.status, 200, other);
        const sessions = await browserOf(api, cookieOf(signedIn))('GET', '/v1/auth/sessions');
        const current = sessions.body.find((one: { current: boolean }) => one.current);
        assert.equal(current.address, other);
      }
      await proxied.close();
    });

    it('[MEM-05] a client that is no trusted proxy counts by its own address, whatever it names', async () => {
      const proxied = buildApi(api, { trustedProxies: ['10.0.0.0/8'] });
      const direct = caller(proxied, '');
      const statuses: number[] = [];
      for (let i = 0; i < 11; i++) {
        const body = { email: `nobody-${i}@example.com`, password: 'wrong' };
        const headers = { 'x-forwarded-for': `192.0.2.${i}` };
        const { status } = await direct('POST', '/v1/auth/sign-in', { key: null, body, headers });
        statuses.push(status);
      }
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
      await proxied.close();
    });

    it('[MEM-05] a proxy that is not named is warned of once, with the setting that names it', async () => {
      const warningsOf = async (trustedProxies: string[], sent: Record<string, string>[]) => {
        const lines: { level: number; address: string; msg: string }[] = [];
        const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
        const proxied = buildApi(api, { log, trustedProxies });
        const url = await proxied.listen({ host: '127.0.0.1', port: 0 });
        for (const headers of sent)
          assert.equal((await fetch(`${url}/health`, { headers })).status, 200);
        await proxied.close();
        return lines.map(({ level, address, msg }) => [
          level,
          address,
          msg.match(/set (\S+=\S+),/)?.[1],
        ]);
      };
      const [forwarded, secure] = [
        { 'x-forwarded-for': '192.0.2.1' },
        { 'x-forwarded-proto': 'https' },
      ];
      const warning = (names: string) => [[40, '127.0.0.1', `QUARRY_TRUSTED_PROXIES=${names}`]];
      assert.deepEqual(await warningsOf([], [{}]), []);
      assert.deepEqual(
        await warningsOf([], [{}, forwarded, secure, forwarded]),
        warning('127.0.0.1'),
      );
      assert.deepEqual(await warningsOf([], [secure, secure]), warning('127.0.0.1'));
      assert.deepEqual(
        await warningsOf(['10.0.0.0/8'], [forwarded]),
        warning('10.0.0.0/8,127.0.0.1'),
      );
      assert.deepEqual(await warningsOf(['127.0.0.1'], [forwarded, secure]), []);
    });

    it('[MEM-07] a header of a trusted proxy makes no origin one of the service', async () => {
      await join('member');
      const cookie = cookieOf(await attempt({ email, password: PASSWORD }));
      const proxied = buildApi(api, { trustedProxies: ['127.0.0.1'] });
      const headers = {
        cookie,
        origin: 'https://evil.example',
        'x-forwarded-host': 'evil.example',
      };
      const body = { name: 'By cookie' };
      const create = (more: object) =>
        caller(proxied, '')('POST', '/v1/collections', {
          key: null,
          body,
          headers: { ...headers, ...more },
        });
      assert.equal((await create({})).status, 403);
      assert.equal((await create({ origin: ORIGIN })).status, 200);
      await proxied.close();
    });

    it('[MEM-05] guesses at the same time count, and those that succeed do not', async () => {
      await join('read');
      const many = await Promise.all(
        Array.from({ length: 25 }, () => attempt({ email, password: 'wrong' })),
      );
      assert.equal(many.filter(({ status }) => status === 401).length, 10);
      await api.db.deleteFrom('sign_in_failures').execute();
      for (let i = 0; i < 12; i++) await signIn();
      for (let i = 0; i < 9; i++) await attempt({ email, password: 'wrong' });
      await signIn();
      const left = await api.db
        .selectFrom('sign_in_failures')
        .select('subject')
        .where('subject', 'like', 'account:%')
        .execute();
      assert.deepEqual(left, []);
    });

    it('[MEM-06] a session may do what a key of its role may', async () => {
      for (const role of ['read', 'member', 'admin'] as const) {
        email = `${role}-${made++}@example.com`;
        const browser = await joined(role);
        const key = await api.keyOf(role);
        const asked = [
          ['GET', '/v1/collections', undefined],
          ['POST', '/v1/collections', { name: 'Of a session' }],
          ['GET', '/v1/api-keys', undefined],
        ] as const;
        for (const [method, url, body] of asked) {
          const given = body === undefined ? {} : { body };
          const byCookie = await browser(method, url, given);
          const byKey = await api.call(method, url, { key, ...given });
          assert.equal(byCookie.status, byKey.status, `${role} ${method} ${url}`);
        }
      }
    });

    it('[MEM-06] a session acts in the organization that a header names, with the role that it has there', async () => {
      const browser = await joined('admin');
      const other = await api.stranger();
      await join('read', other.key);
      const headers = { 'x-organization-id': other.organizationId };
      const me = (await browser('GET', '/v1/auth/me', { headers })).body;
      assert.deepEqual([me.organization.id, me.role], [other.organizationId, 'read']);
      const refused = await browser('POST', '/v1/collections', {
        headers,
        body: { name: 'Not theirs' },
      });
      assert.equal(refused.status, 403);
      const third = await api.stranger();
      const unknown = { 'x-organization-id': third.organizationId };
      assert.equal((await browser('GET', '/v1/auth/me', { headers: unknown })).status, 404);
    });

    it('[MEM-06] somebody below admin searches as that person, and lists no records past the rules of access', async () => {
      const browser = await joined('member');
      const admin = await api.call('GET', '/v1/entities');
      assert.equal(admin.status, 200);
      for (const url of ['/v1/entities', '/v1/entities/x']) {
        const { status, body } = await browser('GET', url);
        assert.equal(status, 403);
        assert.match(body.detail, /contents\/list shows yours/);
      }
      const { body: collection } = await browser('POST', '/v1/collections', {
        body: { name: 'Shared' },
      });
      const as = (principals: string) =>
        browser('POST', `/v1/collections/${collection.readable_id}/search`, {
          body: { query: 'x', generate_answer: false },
          headers: { 'x-principals': principals },
        });
      assert.equal((await as('user:boss@example.com')).status, 403);
    });

    it('[MEM-07] a change by cookie needs an origin of the service', async () => {
      await join('member');
      const cookie = cookieOf(await attempt({ email, password: PASSWORD }));
      const create = (headers: Record<string, string>) =>
        api.call('POST', '/v1/collections', { key: null, body: { name: 'By cookie' }, headers });
      for (const origin of ['http://evil.example', 'null', 'http://localhost.evil.example', '']) {
        const { status, body } = await create({ cookie, origin });
        assert.equal(status, 403, origin);
        assert.match(body.detail, /must come from a page of this service/);
      }
      assert.equal((await create({ cookie })).status, 403);
      assert.equal((await create({ cookie, origin: ORIGIN })).status, 200);
      assert.equal((await create({ cookie, origin: 'http://localhost:80' })).status, 200);
      const read = await api.call('GET', '/v1/collections', { key: null, headers: { cookie } });
      assert.equal(read.status, 200);
    });

    it('[MEM-07] a service with https takes changes from its own origin, and from this machine', async () => {
      await join('member');
      const secure = buildApi(api, { origin: 'https://quarry.example.com' });
      const call = caller(secure, '');
      const signedIn = await call('POST', '/v1/auth/sign-in', {
        key: null,
        body: { email, password: PASSWORD },
      });
      const cookie = cookieOf(signedIn);
      const statusFrom = async (origin: string, host: string) => {
        const headers = { cookie, origin, host };
        return (
          await call('POST', '/v1/collections', { key: null, body: { name: 'By cookie' }, headers })
        ).status;
      };
      for (const [origin, host, expected] of [
        ['https://quarry.example.com', 'quarry.example.com', 200],
        ['https://quarry.example.com', '127.0.0.1:8099', 200],
        ['http://quarry.example.com', 'quarry.example.com', 403],
        ['https://other.example.com', 'other.example.com', 403],
        ['http://10.0.0.7:8099', '10.0.0.7:8099', 403],
        ['http://localhost:3000', 'quarry.example.com', 403],
        ['http://localhost.example.com', 'localhost.example.com', 403],
        ['http://localhost:8099', 'localhost:8099', 200],
        ['http://127.0.0.1:8099', '127.0.0.1:8099', 200],
        ['http://[::1]:8099', '[::1]:8099', 200],
      ] as const)
        assert.equal(await statusFrom(origin, host), expected, `${origin} at ${host}`);
      await secure.close();
    });

    it('[MEM-07] a page of somebody else can neither sign a browser in nor out', async () => {
      await join('member');
      const cookie = cookieOf(await attempt({ email, password: PASSWORD }));
      const headers = { origin: 'http://evil.example' };
      assert.equal((await attempt({ email, password: PASSWORD }, { headers })).status, 403);
      const out = { key: null, headers: { ...headers, cookie } };
      assert.equal((await api.call('POST', '/v1/auth/sign-out', out)).status, 403);
      assert.equal(await isSignedIn(browserOf(api, cookie)), true);
    });

    it('[MEM-06] the tool server takes keys and tokens, and no cookies', async () => {
      const browser = await joined('admin');
      const { status, body } = await browser('POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { accept: 'application/json, text/event-stream' },
      });
      assert.equal(status, 401);
      assert.match(body.error.message, /give an API key/);
    });

    it('[MEM-08] a session ends after 12 h without use, and after 30 days', async () => {
      const browser = await joined('read');
      await age('last_used_at', 11.9 * HOUR);
      assert.equal(await isSignedIn(browser), true, 'it was used within 12 h');
      await until(async () => {
        const sessions = await api.db.selectFrom('sessions').select('last_used_at').execute();
        return sessions.some((session) => session.last_used_at > Date.now() - HOUR);
      });
      await age('last_used_at', 11.9 * HOUR);
      assert.equal(await isSignedIn(browser), true, 'each use counts');
      await age('last_used_at', 12.1 * HOUR);
      assert.ok(!(await isSignedIn(browser)));
      const other = await signIn();
      await age('created_at', 29.9 * 24 * HOUR);
      assert.equal(await isSignedIn(other), true);
      await age('created_at', 0.2 * 24 * HOUR);
      assert.ok(!(await isSignedIn(other)));
    });

    it('[MEM-08] sessions are listed and ended by their owner alone', async () => {
      const laptop = await joined('read');
      const headers = { 'user-agent': 'A phone' };
      const phone = browserOf(
        api,
        cookieOf(await attempt({ email, password: PASSWORD }, { headers })),
      );
      const { body: list, headers: listed } = await laptop('GET', '/v1/auth/sessions');
      assert.equal(listed['x-total-count'], String(list.length));
      // The acceptance of the invitation opened one, too.
      assert.equal(list.length, 3);
      const current = list.filter((one: { current: boolean }) => one.current);
      assert.equal(current.length, 1);
      const theirs = list.find(
        (one: { user_agent: string | null }) => one.user_agent === 'A phone',
      );
      assert.deepEqual([theirs.address, theirs.current], ['127.0.0.1', false]);
      email = `person-${made++}@example.com`;
      const stranger = await joined('admin');
      assert.equal((await stranger('DELETE', `/v1/auth/sessions/${theirs.id}`)).status, 404);
      assert.equal(await isSignedIn(phone), true);
      assert.equal((await laptop('DELETE', `/v1/auth/sessions/${theirs.id}`)).body.id, theirs.id);
      assert.deepEqual([await isSignedIn(phone), await isSignedIn(laptop)], [false, true]);
      assert.equal((await api.call('GET', '/v1/auth/sessions')).status, 403);
    });

    it('[MEM-08] a cookie opens nothing after the sign-out', async () => {
      const browser = await joined('read');
      const { headers, body } = await browser('POST', '/v1/auth/sign-out');
      assert.deepEqual(body, { signed_out: true });
      assert.match(String(headers['set-cookie']), /^quarry_session=; Max-Age=0;/);
      const { status, body: refusal } = await browser('GET', '/v1/collections');
      assert.equal(status, 401);
      assert.match(refusal.detail, /sign in again/);
      assert.equal((await api.call('POST', '/v1/auth/sign-out', { key: null })).status, 200);
    });

    it('[MEM-08] a change of the password needs the present one, and ends the other sessions', async () => {
      const browser = await joined('read');
      const other = await signIn();
      const change = (body: object) => browser('POST', '/v1/auth/password', { body });
      const new_password = 'another password';
      for (const body of [{ new_password }, { new_password, current_password: 'wrong' }]) {
        const { status, body: refusal } = await change(body);
        assert.deepEqual([status, refusal.detail[0].loc], [422, ['body', 'current_password']]);
      }
      assert.equal(await isSignedIn(other), true);
      assert.equal((await change({ new_password, current_password: PASSWORD })).status, 200);
      assert.deepEqual([await isSignedIn(browser), await isSignedIn(other)], [true, false]);
      assert.equal((await attempt({ email, password: PASSWORD })).status, 401);
      assert.equal((await attempt({ email, password: new_password })).status, 200);
      const key = await api.keyOf('admin');
      const byKey = { key, body: { new_password, current_password: new_password } };
      assert.equal((await api.call('POST', '/v1/auth/password', byKey)).status, 403);
    });
  });
