/** Tests links that sign somebody in once, without a password. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openSession } from '../../accounts/open-session.ts';
import { forgetEnded } from '../../accounts/removal-store.ts';
import { makeStartLink } from '../../accounts/start-link.ts';
import { use as useLink } from '../../accounts/start-link-store.ts';
import { sha256 } from '../../model/hash.ts';
import { OWNER } from '../../organizations/bootstrap.ts';
import { must } from '../../util.ts';
import { DATABASES, hasOwnClock, somebodyWaits, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { browserOf, cookieOf, ORIGIN, signInAt } from './browser.ts';
import { openTestApi, type TestApi } from './harness.ts';

const HOUR = 3_600_000;

for (const database of DATABASES)
  describe(`start links on ${database.name}`, () => {
    let test: TestDatabase;
    let api: TestApi;
    before(async () => {
      test = await database.open();
      api = await openTestApi(test);
    });
    after(() => api.close());
    // Every test begins without failures, because all of them have the same address.
    beforeEach(() => api.db.deleteFrom('sign_in_failures').execute());

    async function tokenFor({ email = OWNER, endsOthers = false } = {}): Promise<string> {
      const link = must(await makeStartLink(api.db, { email, origin: ORIGIN, endsOthers }));
      return must(/^http:\/\/localhost\/start#token=([\w-]{43})$/.exec(link.url)?.[1]);
    }
    const use = (token: string, options: object = {}) =>
      api.call('POST', '/v1/auth/start', { body: { token }, key: null, ...options });
    const age = (ms: number) =>
      api.db
        .updateTable('start_links')
        .set((eb) => ({ expires_at: eb('expires_at', '-', ms) }))
        .execute();

    it('[MEM-10] a link signs the owner in once, as a sign-in by password does', async () => {
      const token = await tokenFor();
      const stored = await api.db.selectFrom('start_links').selectAll().execute();
      assert.ok(!JSON.stringify(stored).includes(token));
      const answer = await use(token);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(
        [answer.body.user.email, answer.body.user.has_password, answer.body.role],
        [OWNER, false, 'admin'],
      );
      assert.match(
        String(answer.headers['set-cookie']),
        /^quarry_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      const browser = browserOf(api, cookieOf(answer));
      assert.equal((await browser('GET', '/v1/api-keys')).status, 200);
      const again = await use(token);
      assert.deepEqual([again.status, again.headers['set-cookie']], [401, undefined]);
      assert.match(again.body.detail, /start it again or run quarry sign-in-link/);
    });

    it('[MEM-10] two browsers that open the link at the same moment open one session', async () => {
      const token = await tokenFor();
      const answers = await Promise.all([use(token), use(token), use(token)]);
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [200, 401, 401]);
    });

    it('[MEM-10] a link ends after 24 hours, and the janitor removes it', async () => {
      const early = await tokenFor();
      await age(23.9 * HOUR);
      assert.equal((await use(early)).status, 200);
      const late = await tokenFor();
      await age(24.1 * HOUR);
      assert.equal((await use(late)).status, 401);
      for await (const _ of forgetEnded(api.db, Date.now()));
      assert.deepEqual(await api.db.selectFrom('start_links').selectAll().execute(), []);
    });

    it('[MEM-10] the start of an embedded database ends earlier links, and another process keeps them', async () => {
      const [first, second] = [await tokenFor(), await tokenFor()];
      assert.equal((await use(first)).status, 200);
      const third = await tokenFor({ endsOthers: true });
      assert.deepEqual([(await use(second)).status, (await use(third)).status], [401, 200]);
    });

    it('[MEM-10] only members get a link', async () => {
      const nobody = { email: 'nobody@example.com', origin: ORIGIN, endsOthers: false };
      assert.equal(await makeStartLink(api.db, nobody), null);
      const { email, userId } = await api.stranger();
      const token = await tokenFor({ email });
      assert.equal((await use(token)).body.user.email, email);
      const left = await tokenFor({ email });
      await api.db.deleteFrom('memberships').where('user_id', '=', userId).execute();
      assert.equal(await makeStartLink(api.db, { ...nobody, email }), null);
      assert.equal((await use(left)).status, 403);
    });

    it('[MEM-10] ten unknown tokens from an address within 15 minutes refuse the next one, and no account', async () => {
      const token = await tokenFor();
      for (let i = 0; i < 10; i++) assert.equal((await use(`unknown-${i}`)).status, 401);
      const refused = await use(token);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      const subjects = await api.db.selectFrom('sign_in_failures').select('subject').execute();
      assert.deepEqual([...new Set(subjects.map(({ subject }) => subject))], ['address:127.0.0.1']);
      await api.db.deleteFrom('sign_in_failures').execute();
      assert.equal((await use(token)).status, 200, 'a refused token is not used up');
      assert.deepEqual(await api.db.selectFrom('sign_in_failures').selectAll().execute(), []);
    });

    it('[MEM-07] [MEM-10] a page of somebody else cannot use a link', async () => {
      const token = await tokenFor();
      const headers = { origin: 'http://evil.example' };
      assert.equal((await use(token, { headers })).status, 403);
      assert.equal((await use(token, { headers: { origin: ORIGIN } })).status, 200);
    });

    it('[MEM-10] a link that forgets the password lets somebody set a new one who does not know it', async () => {
      const { email, userId, key } = await api.stranger();
      const first = browserOf(api, cookieOf(await use(await tokenFor({ email }))));
      const password = 'words that are forgotten soon';
      const set = { body: { new_password: password } };
      assert.equal((await first('POST', '/v1/auth/password', set)).status, 200);
      const plain = await makeStartLink(api.db, { email, origin: ORIGIN, endsOthers: false });
      assert.equal(plain?.hasPassword, true);
      const old = must(plain.url.split('=')[1]);
      const link = must(
        await makeStartLink(api.db, {
          ...{ email, origin: ORIGIN, endsOthers: false },
          forgetsPassword: true,
        }),
      );
      assert.equal((await first('GET', '/v1/auth/me')).status, 401, 'its sessions have ended');
      const body = { email, password };
      assert.equal((await api.call('POST', '/v1/auth/sign-in', { key: null, body })).status, 401);
      assert.equal((await use(old)).status, 401, 'its earlier links have ended');
      const token = must(link.url.split('=')[1]);
      const second = browserOf(api, cookieOf(await use(token)));
      const next = { body: { new_password: 'other words, written down' } };
      assert.equal((await second('POST', '/v1/auth/password', next)).status, 200);
      const query = '/v1/audit-events?action=password.changed';
      const { body: acts } = await api.call('GET', query, { key });
      assert.deepEqual(
        acts.map((one: { actor: { type: string }; target: { id: string } }) => [
          one.actor.type,
          one.target.id,
        ]),
        [
          ['user', userId],
          ['operator', userId],
          ['user', userId],
        ],
      );
    });

    it('[MEM-08] [MEM-10] the owner sets a password without a present one, which ends open links', async () => {
      const [token, left] = [await tokenFor(), await tokenFor()];
      const browser = browserOf(api, cookieOf(await use(token)));
      const body = { new_password: 'the words of the owner' };
      const set = await browser('POST', '/v1/auth/password', { body });
      assert.deepEqual([set.status, set.body.user.has_password], [200, true]);
      assert.equal((await use(left)).status, 401);
      await signInAt(api, { email: OWNER, password: body.new_password });
      assert.equal((await browser('POST', '/v1/auth/password', { body })).status, 422);
      const link = await makeStartLink(api.db, {
        email: OWNER,
        origin: ORIGIN,
        endsOthers: false,
      });
      assert.equal(link?.hasPassword, true);
    });

    it('[MEM-08] a new password also ends the session of a link that is being used', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      await makeStartLink(api.db, { email: OWNER, origin: ORIGIN, endsOthers: true });
      const [token, used] = [await tokenFor(), await tokenFor()];
      const browser = browserOf(api, cookieOf(await use(token)));
      const body = {
        current_password: 'the words of the owner',
        new_password: 'other words of the owner',
      };
      let isAnswered = false;
      const { changing, opened } = await api.db.transaction().execute(async (tx) => {
        const userId = must(await useLink(tx, sha256(used)));
        const device = { address: '127.0.0.1', userAgent: undefined };
        const opened = await openSession(tx, userId, { ...device, way: 'link' });
        const changing = browser('POST', '/v1/auth/password', { body }).finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await somebodyWaits(api.db)));
        return { changing, opened };
      });
      assert.equal((await changing).status, 200);
      const other = browserOf(api, `quarry_session=${opened.token}`);
      assert.equal((await other('GET', '/v1/auth/me')).status, 401);
      assert.equal((await browser('GET', '/v1/auth/me')).status, 200);
    });
  });
