/** Somebody who invites a person cannot act as that person after the issuer has vouched for the e-mail. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { makeStartLink } from '../../accounts/start-link.ts';
import { must } from '../../util.ts';
import { cookieOf } from '../api/browser.ts';
import { DATABASES } from '../databases.ts';
import { type Answer, caller } from '../inject.ts';
import { openBrowser } from './browser.ts';
import { type IssuerHouse, openIssuerHouse } from './issuer-house.ts';

const THEIRS = 'a password that the inviter has chosen';
const OWN = 'the words of the person alone';

for (const database of DATABASES)
  describe(`an account for which the issuer vouches on ${database.name}`, () => {
    let house: IssuerHouse;
    let call: ReturnType<typeof caller>;
    let email: string;
    let made = 0;
    /** The inviter is an admin of this organization, and of no other. */
    let outer: string;
    before(async () => {
      house = await openIssuerHouse(await database.open(), 'members');
      call = caller(house.quarry.api, '');
      outer = (await house.quarry.ok('POST', '/v1/organizations', { name: 'Outer' })).id;
    });
    after(() => house.close());
    beforeEach(async () => {
      email = `ceo-${made++}@example.com`;
      house.peer.person = { email, email_verified: true };
      await house.quarry.db.deleteFrom('sign_in_failures').execute();
    });

    const inOuter = () => ({ 'x-organization-id': outer });
    async function invite(headers = {}): Promise<string> {
      const body = { email, role: 'admin' };
      const { invitation_url } = await house.quarry.ok('POST', '/v1/members', body, headers);
      return must(String(invitation_url).split('#token=')[1]);
    }
    const accept = (token: string, password: string) =>
      call('POST', '/v1/auth/accept', { key: null, body: { token, password } });
    const signIn = (password: string) =>
      call('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
    const by = (cookie: string, organization?: string) => ({
      key: null,
      headers: {
        ...{ cookie, origin: house.origin },
        ...(organization !== undefined && { 'x-organization-id': organization }),
      },
    });
    /** The inviter accepts the invitation to the outer organization. Returns the cookie of that session. */
    async function hijacked(): Promise<string> {
      const answer = await accept(await invite(inOuter()), THEIRS);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return cookieOf(answer);
    }
    /** The person signs in through the issuer. Returns the cookie of the session, and the organizations. */
    async function arrives() {
      const browser = openBrowser();
      await browser.open(`${house.origin}/v1/auth/issuer`);
      const cookie = must(browser.cookies.find((one) => one.pair.includes('quarry_session=')));
      const me = await call('GET', '/v1/auth/me', by(cookie.pair));
      assert.equal(me.status, 200, JSON.stringify(me.body));
      return { cookie: cookie.pair, id: me.body.user.id as string, me: me.body };
    }
    const inner = async () => (await house.quarry.ok('GET', '/v1/auth/me')).organization.id;
    const newKey = (body: object, options: object) =>
      call('POST', '/v1/api-keys', {
        body: { name: 'theirs', role: 'admin', ...body },
        ...options,
      });

    it('[MEM-09] its first sign-in ends what an inviter has made: session, password, link and the reach of keys', async () => {
      const cookie = await hijacked();
      const { key } = (await newKey({ all_organizations: true }, by(cookie))).body;
      const { db } = house.quarry;
      const link = must(
        await makeStartLink(db, { email, origin: house.origin, endsOthers: false }),
      );
      await invite();
      const { me } = await arrives();
      assert.equal(me.user.has_password, false);
      assert.deepEqual(
        me.organizations.map(({ role }: { role: string }) => role),
        ['admin', 'admin'],
      );
      assert.equal((await call('GET', '/v1/auth/me', by(cookie))).status, 401);
      assert.equal((await signIn(THEIRS)).status, 401);
      const token = must(link.url.split('#token=')[1]);
      assert.equal(
        (await call('POST', '/v1/auth/start', { key: null, body: { token } })).status,
        401,
      );
      const elsewhere = { key, headers: { 'x-organization-id': await inner() } };
      assert.equal((await call('GET', '/v1/members', elsewhere)).status, 404);
      assert.equal((await newKey({ all_organizations: true }, { key })).status, 403);
      assert.equal((await call('GET', '/v1/members', { key })).status, 200, 'it stays in its own');
      for (const headers of [{}, inOuter()]) {
        const query = '/v1/audit-events?action=password.changed&limit=1';
        const [act] = await house.quarry.ok('GET', query, undefined, headers);
        assert.deepEqual(
          [act.actor.email, act.target.name, act.details],
          [email, email, { forgotten: true, way: 'issuer', limited_keys: 1 }],
        );
      }
    });

    it('[MEM-09] a later sign-in leaves what the person has set', async () => {
      await hijacked();
      const { cookie } = await arrives();
      const set = { body: { new_password: OWN }, ...by(cookie) };
      assert.equal((await call('POST', '/v1/auth/password', set)).status, 200);
      const { key } = (await newKey({ all_organizations: true }, by(cookie))).body;
      await invite();
      await arrives();
      assert.equal((await call('GET', '/v1/auth/me', by(cookie))).status, 200);
      assert.equal((await signIn(OWN)).status, 200);
      const elsewhere = { key, headers: { 'x-organization-id': await inner() } };
      assert.equal((await call('GET', '/v1/members', elsewhere)).status, 200);
    });

    it('[MEM-09] a request whose head came before the sign-in, and whose body comes after it, does nothing', async () => {
      const cookie = await hijacked();
      const { key } = (await newKey({ all_organizations: true }, by(cookie))).body;
      await invite();
      const wanted = { name: 'late', role: 'admin', all_organizations: true };
      const late = await Promise.all([
        slowly('/v1/auth/password', by(cookie).headers, { new_password: THEIRS }),
        slowly('/v1/api-keys', by(cookie).headers, wanted),
        slowly('/v1/api-keys', { authorization: `Bearer ${key}` }, wanted),
      ]);
      const { id } = await arrives();
      const statuses = await Promise.all(late.map((end) => end()));
      assert.deepEqual(statuses, [401, 401, 403]);
      const { db } = house.quarry;
      const { password_hash } = await db
        .selectFrom('users')
        .select('password_hash')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(password_hash, null);
    });

    /** Sends the head of a request, and returns a function that sends its body. */
    async function slowly(path: string, headers: Record<string, string>, body: object) {
      const text = JSON.stringify(body);
      const sent = request(`${house.origin}${path}`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': text.length,
          expect: '100-continue',
        },
      });
      const begun = once(sent, 'continue');
      const status = new Promise<number | undefined>((answered, failed) => {
        sent.on('response', (response) => {
          response.resume();
          answered(response.statusCode);
        });
        sent.on('error', failed);
      });
      sent.flushHeaders();
      await begun;
      return () => {
        sent.end(text);
        return status;
      };
    }

    it('[MEM-02] [MEM-09] an inviter cannot choose the password of an account that the issuer has made', async () => {
      await invite();
      const { id, cookie } = await arrives();
      await house.quarry.ok('DELETE', `/v1/members/${id}`);
      const refused: Answer = await accept(await invite(inOuter()), THEIRS);
      assert.equal(refused.status, 409);
      assert.match(refused.body.detail, /sign in through the issuer/);
      assert.equal((await signIn(THEIRS)).status, 401);
      const again = await arrives();
      assert.deepEqual([again.id, again.me.organization.id], [id, outer]);
      assert.equal((await call('GET', '/v1/auth/me', by(cookie))).status, 200);
    });
  });
