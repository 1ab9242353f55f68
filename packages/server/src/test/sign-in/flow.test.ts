/** Tests the sign-in of people to a source through a real provider, in a browser that keeps its cookies. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { openBrowser } from './browser.ts';
import { BACK, openSignInHouse, type SignInHouse } from './house.ts';
import { CLIENTS } from './provider.ts';

for (const database of DATABASES)
  describe(`signing in to a source in a browser on ${database.name}`, () => {
    let house: SignInHouse;
    const logged: string[] = [];
    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openSignInHouse(database, { log });
    });
    after(() => house.close());
    beforeEach(() => {
      house.provider.person = 'ann@example.com';
      house.provider.leavesOut = [];
      house.provider.denies = false;
    });
    afterEach(() => assert.doesNotMatch(logged.splice(0).join(''), /client_secret|a secret: with/));

    const outcomeOf = (url: URL) => Object.fromEntries(url.searchParams);
    const events = async (connectionId: string): Promise<string[]> => {
      const rows = await house.db
        .selectFrom('events')
        .select('event_type')
        .where('connection_id', '=', connectionId)
        .orderBy('seq')
        .execute();
      return rows.map(({ event_type }) => event_type);
    };
    const stateOf = (location: string | null) => new URL(location ?? '').searchParams.get('state');

    it('[AUTH-05] [AUTH-14] [AUTH-16] [AUTH-18] [AUTH-19] [CON-16] [CON-32] [EVT-06] leads from the link to the first sync', async () => {
      const made = await house.waiting();
      assert.equal(made.status, 'PENDING_AUTH');
      assert.deepEqual(
        [made.auth.method, made.auth.authenticated, made.auth.authenticated_at, made.auth.account],
        ['oauth_browser', false, null, null],
      );
      const link = new RegExp(`^${house.origin}/v1/source-connections/authorize/[\\w-]{43}$`);
      assert.match(made.auth.auth_url, link);
      assert.deepEqual(await house.ok('GET', `/v1/source-connections/${made.id}/jobs`), []);
      assert.equal('auth_url' in (await house.show(made.id)).auth, false);

      const browser = openBrowser();
      const provider = await browser.peek(made.auth.auth_url);
      assert.equal(provider.status, 303);
      const asked = new URL(provider.location ?? '');
      assert.equal(asked.origin, house.provider.url);
      const { code_challenge_method, response_type, redirect_uri, client_id, scope } =
        outcomeOf(asked);
      assert.deepEqual(
        [code_challenge_method, response_type, redirect_uri, client_id, scope],
        [
          'S256',
          'code',
          `${house.origin}/v1/source-connections/callback`,
          CLIENTS.basic.id,
          'notes:read people:read offline_access',
        ],
      );
      const [cookie] = browser.cookies;
      assert.match(
        cookie?.header ?? '',
        /; Path=\/v1\/source-connections\/callback; .*HttpOnly; SameSite=Lax$/,
      );

      const { url } = await browser.open(asked.href);
      assert.equal(`${url.origin}${url.pathname}`, BACK);
      assert.deepEqual(outcomeOf(url), { status: 'success', source_connection_id: made.id });
      const job = await house.settled(made.id);
      assert.deepEqual([job.status, job.entities_inserted], ['completed', 2]);
      const shown = await house.show(made.id);
      assert.deepEqual(
        [shown.status, shown.auth.authenticated, shown.auth.account],
        ['ACTIVE', true, 'ann@example.com'],
      );
      const life = Date.parse(shown.auth.expires_at) - Date.now();
      assert.ok(life > 3_500_000 && life <= 3_600_000, shown.auth.expires_at);
      assert.deepEqual((await events(made.id)).slice(0, 3), [
        'source_connection.created',
        'source_connection.auth_completed',
        'sync.pending',
      ]);
    });

    it('[AUTH-23] [AUTH-25] lets a sync renew a token that has ended or is refused, with refresh tokens that work once', async () => {
      const { id } = await house.signedIn();
      await house.settled(id);
      const before = house.provider.requests.get('/token') ?? 0;
      for (let round = 1; round <= 3; round++) {
        await house.expire(id);
        const { status } = await house.sync(id);
        assert.equal(status, 'completed');
        assert.equal(house.provider.requests.get('/token'), before + round);
      }
      // The service refuses a token that has not ended yet.
      house.provider.instead.set('/api/notes', [
        (response) => {
          response.writeHead(401);
          response.end();
        },
      ]);
      const { status, sync_metadata } = await house.sync(id);
      assert.deepEqual([status, sync_metadata.requests], ['completed', 3]);
      assert.equal(house.provider.requests.get('/token'), before + 4);
    });

    it('[AUTH-15] is possible once with each link', async () => {
      const made = await house.waiting();
      const head = await fetch(made.auth.auth_url, { method: 'HEAD', redirect: 'manual' });
      assert.equal(head.status, 204);
      const first = await openBrowser().peek(made.auth.auth_url);
      assert.ok(first.location?.startsWith(house.provider.url));
      const second = await openBrowser().peek(made.auth.auth_url);
      assert.equal(second.status, 303);
      const { status, error } = outcomeOf(new URL(second.location ?? ''));
      assert.deepEqual([status, error], ['error', 'link_used']);
    });

    it('[AUTH-15] [AUTH-22] is possible for ten minutes with a link, and then with a new link', async () => {
      const made = await house.waiting();
      const { link_expires_at } = await house.db
        .selectFrom('browser_sign_ins')
        .select('link_expires_at')
        .where('connection_id', '=', made.id)
        .executeTakeFirstOrThrow();
      const life = link_expires_at - Date.now();
      assert.ok(life > 590_000 && life <= 600_500, `${life}`);
      const late = () =>
        house.db
          .updateTable('browser_sign_ins')
          .set({ link_expires_at: Date.now() - 1000 })
          .where('connection_id', '=', made.id)
          .execute();
      await late();
      const { location } = await openBrowser().peek(made.auth.auth_url);
      assert.equal(outcomeOf(new URL(location ?? '')).error, 'link_expired');
      const again = await house.ok('POST', `/v1/source-connections/${made.id}/reinitiate-oauth`);
      const { url } = await house.signIn(again.auth.auth_url);
      assert.equal(outcomeOf(url).status, 'success');
      assert.equal((await openBrowser().peek(made.auth.auth_url)).status, 404);
    });

    it('[AUTH-31] fails when the callback comes from another browser, and then still works in the right browser', async () => {
      const made = await house.waiting();
      const browser = openBrowser();
      const callback = `${house.origin}/v1/source-connections/callback`;
      const { url } = await browser.open(made.auth.auth_url, callback);
      const victim = await openBrowser().open(url.href);
      assert.deepEqual(outcomeOf(victim.url).error, 'other_browser');
      assert.equal((await house.show(made.id)).status, 'PENDING_AUTH');
      // The cookie of another sign-in makes no difference.
      const other = await house.waiting();
      const stranger = openBrowser();
      await stranger.peek(other.auth.auth_url);
      assert.equal(outcomeOf((await stranger.open(url.href)).url).error, 'other_browser');
      assert.equal(outcomeOf((await browser.open(url.href)).url).status, 'success');
    });

    it('[AUTH-17] accepts each state once, and ignores an invented state', async () => {
      const made = await house.waiting({ sync_immediately: false });
      const browser = openBrowser();
      const callback = `${house.origin}/v1/source-connections/callback`;
      const { url } = await browser.open(made.auth.auth_url, callback);
      assert.equal(outcomeOf((await browser.open(url.href)).url).status, 'success');
      const before = await house.show(made.id);
      const requests = house.provider.requests.get('/token');
      const again = await browser.open(url.href);
      assert.equal(outcomeOf(again.url).error, 'already_used');
      for (const query of ['?state=x&code=y', '?code=y', '', '?state=&code=', '?state=a&state=b'])
        assert.match((await browser.open(`${callback}${query}`)).text, /^<!doctype html>/);
      assert.deepEqual(await house.show(made.id), before);
      assert.equal(house.provider.requests.get('/token'), requests);
    });

    if (isLeftToSqlite(database)) return;

    it('[AUTH-17] accepts a state only for its own connection', async () => {
      const [mine, other] = [await house.waiting(), await house.waiting()];
      const browser = openBrowser();
      const state = stateOf((await browser.peek(mine.auth.auth_url)).location);
      const callback = `${house.origin}/v1/source-connections/callback`;
      const { url } = await browser.open(other.auth.auth_url, callback);
      url.searchParams.set('state', state ?? '');
      // The code belongs to the other sign-in, which has another verifier.
      const end = await browser.open(url.href);
      assert.equal(outcomeOf(end.url).error, 'token_exchange_failed');
      for (const { id } of [mine, other])
        assert.equal((await house.show(id)).status, 'PENDING_AUTH');
    });

    it('[AUTH-17] fails when it takes too long, or when a newer link exists', async () => {
      const made = await house.waiting();
      const callback = `${house.origin}/v1/source-connections/callback`;
      const browser = openBrowser();
      const { url } = await browser.open(made.auth.auth_url, callback);
      await house.db
        .updateTable('browser_sign_ins')
        .set({ state_expires_at: Date.now() - 1000 })
        .where('connection_id', '=', made.id)
        .execute();
      assert.equal(outcomeOf((await browser.open(url.href)).url).error, 'sign_in_expired');
      const again = await house.ok('POST', `/v1/source-connections/${made.id}/reinitiate-oauth`);
      const late = (await browser.open(again.auth.auth_url, callback)).url;
      await house.ok('POST', `/v1/source-connections/${made.id}/reinitiate-oauth`);
      const page = await browser.open(late.href);
      assert.deepEqual([page.status, /does not exist/.test(page.text)], [404, true]);
      assert.equal((await house.show(made.id)).status, 'PENDING_AUTH');
    });

    it('[AUTH-20] reports a refusal at the provider to the caller, or on a page', async () => {
      house.provider.denies = true;
      const { id, url } = await house.signedIn();
      assert.deepEqual(outcomeOf(url), {
        status: 'error',
        error: 'access_denied',
        error_description: 'The person said <no>.',
      });
      assert.equal((await house.show(id)).status, 'PENDING_AUTH');
      const made = await house.waiting({ auth: { oauth_browser: {} } });
      const page = await house.signIn(made.auth.auth_url);
      assert.equal(page.status, 400);
      assert.match(page.text, /The person said &lt;no&gt;\./);
      assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    });

    it('[AUTH-20] shows its last error on the connection, until a new link is made', async () => {
      house.provider.denies = true;
      const { id } = await house.signedIn();
      assert.deepEqual((await house.show(id)).auth.sign_in_error, {
        code: 'access_denied',
        message: 'The person said <no>.',
      });
      house.provider.denies = false;
      const again = await house.ok('POST', `/v1/source-connections/${id}/reinitiate-oauth`);
      assert.equal(again.auth.sign_in_error, null);
      const callback = `${house.origin}/v1/source-connections/callback`;
      const browser = openBrowser();
      const { url } = await browser.open(again.auth.auth_url, callback);
      // Another browser and a second use of the link fail, but the sign-in continues.
      for (const wrong of [url.href, again.auth.auth_url]) await openBrowser().open(wrong);
      assert.equal((await house.show(id)).auth.sign_in_error, null);
      await browser.open(url.href);
      await browser.open(url.href);
      const { authenticated, sign_in_error } = (await house.show(id)).auth;
      assert.deepEqual([authenticated, sign_in_error], [true, null]);
    });

    it('[AUTH-19] ends on a page of this service when there is no address to return to', async () => {
      const made = await house.waiting({ auth: { oauth_browser: {} } });
      const page = await house.signIn(made.auth.auth_url);
      assert.deepEqual([page.status, /Signed in/.test(page.text)], [200, true]);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.equal(page.headers.get('cache-control'), 'no-store');
    });

    it("[AUTH-21] [AUTH-10] keeps the query and the fragment of the caller's address", async () => {
      const redirect_url = `${BACK}?a=b%20c&status=mine#part=1`;
      const { id, url } = await house.signedIn({ auth: { oauth_browser: {} }, redirect_url });
      assert.equal(
        url.href,
        `${BACK}?a=b%20c&status=mine&status=success&source_connection_id=${id}#part=1`,
      );
      const both = { auth: { oauth_browser: { redirect_uri: BACK } }, redirect_url };
      await assert.rejects(house.waiting(both), /mean the same/);
    });

    it('[AUTH-28] starts no sync when sync_immediately is false', async () => {
      const { id } = await house.signedIn({ sync_immediately: false });
      assert.equal((await house.show(id)).status, 'ACTIVE');
      assert.deepEqual(await house.ok('GET', `/v1/source-connections/${id}/jobs`), []);
    });

    it('fails when a person leaves out scopes, and names them', async () => {
      house.provider.leavesOut = ['people:read'];
      const { id, url } = await house.signedIn();
      const { error, error_description } = outcomeOf(url);
      assert.equal(error, 'missing_scopes');
      assert.match(error_description ?? '', /did not grant people:read: sign in again/);
      assert.equal((await house.show(id)).status, 'PENDING_AUTH');
    });

    it('[AUTH-33] changes nothing when another account signs in again', async () => {
      const { id } = await house.signedIn({ sync_immediately: false });
      const before = await house.show(id);
      house.provider.person = 'bob@example.com';
      const again = await house.ok('POST', `/v1/source-connections/${id}/reinitiate-oauth`);
      const { url } = await house.signIn(again.auth.auth_url);
      const { error, error_description } = outcomeOf(url);
      assert.equal(error, 'account_mismatch');
      assert.match(error_description ?? '', /belongs to ann@example.com, and bob@example.com/);
      assert.deepEqual(await house.show(id), before);
      assert.equal((await house.sync(id)).status, 'completed');
    });

    it('[AUTH-29] [AUTH-32] is possible again after it has ended, and the source is not asked before', async () => {
      const { id } = await house.signedIn();
      await house.settled(id);
      await house.expire(id);
      // Somebody else has already used the refresh token.
      house.provider.instead.set('/token', [
        (response) => {
          response.writeHead(400, { 'content-type': 'application/json' });
          response.end('{"error":"invalid_grant"}');
        },
      ]);
      await house.sync(id);
      const [failed] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.deepEqual([failed.status, failed.error_details.code], ['FAILED', 'auth']);
      assert.match(failed.error_details.hint, /reinitiate-oauth/);
      assert.equal((await house.show(id)).status, 'NEEDS_REAUTH');
      const requests = [...house.provider.requests];
      const run = await house.call('POST', `/v1/source-connections/${id}/run`);
      assert.deepEqual([run.status, run.body.code], [409, 'sign_in_needed']);
      assert.match(run.body.detail, /reinitiate-oauth gives a link/);
      assert.deepEqual([...house.provider.requests], requests);
      const again = await house.ok('POST', `/v1/source-connections/${id}/reinitiate-oauth`);
      assert.equal(outcomeOf((await house.signIn(again.auth.auth_url)).url).status, 'success');
      assert.equal((await house.settled(id)).status, 'completed');
      assert.equal((await house.show(id)).status, 'ACTIVE');
    });

    it('[AUTH-08] shows in the catalog the scopes and the redirect URI that a user registers at the provider', async () => {
      const { redirect_uri, oauth_scopes } = await house.ok('GET', '/v1/sources/own_notebook');
      assert.equal(redirect_uri, `${house.origin}/v1/source-connections/callback`);
      assert.deepEqual(oauth_scopes, ['notes:read', 'people:read', 'offline_access']);
    });

    it('[AUTH-08] uses the client of the user when the operator has none', async () => {
      const refused = await house.call('POST', '/v1/source-connections', {
        name: 'My notebook',
        short_name: 'own_notebook',
        readable_collection_id: (await house.waiting()).readable_collection_id,
      });
      assert.deepEqual([refused.status, refused.body.code], [422, 'client_required']);
      const { id: client_id, secret: client_secret } = CLIENTS.basic;
      const oauth_browser = { redirect_uri: BACK, client_id, client_secret };
      const { id, url } = await house.signedIn({
        short_name: 'own_notebook',
        auth: { oauth_browser },
      });
      assert.equal(outcomeOf(url).status, 'success');
      await house.settled(id);
      await house.expire(id);
      assert.equal((await house.sync(id)).status, 'completed');
      const wrong = { ...oauth_browser, client_secret: 'a wrong secret of a client' };
      const bad = await house.signedIn({
        short_name: 'own_notebook',
        auth: { oauth_browser: wrong },
      });
      const { error, error_description } = outcomeOf(bad.url);
      assert.equal(error, 'token_exchange_failed');
      assert.match(error_description ?? '', /invalid_client/);
      assert.doesNotMatch(error_description ?? '', /a wrong secret/);
    });

    it('fails with the message of the service when the check of the connection fails, and stores nothing', async () => {
      house.provider.instead.set('/api/me', [
        (response) => {
          response.writeHead(403, { 'content-type': 'application/json' });
          response.end('{"message":"an administrator must allow this app"}');
        },
      ]);
      const { id, url } = await house.signedIn();
      const { error, error_description } = outcomeOf(url);
      assert.equal(error, 'check_failed');
      assert.match(error_description ?? '', /an administrator must allow this app/);
      assert.equal((await house.show(id)).status, 'PENDING_AUTH');
      const rows = await house.db
        .selectFrom('connection_tokens')
        .selectAll()
        .where('connection_id', '=', id)
        .execute();
      assert.deepEqual(rows, []);
    });

    it('fails when the connection is deleted in the meantime', async () => {
      const made = await house.waiting();
      const browser = openBrowser();
      const callback = `${house.origin}/v1/source-connections/callback`;
      const { url } = await browser.open(made.auth.auth_url, callback);
      await house.ok('DELETE', `/v1/source-connections/${made.id}`);
      const end = await browser.open(url.href);
      const error = end.status === 404 ? 'gone' : outcomeOf(end.url).error;
      assert.ok(['gone', 'connection_deleted'].includes(error ?? ''), error);
    });

    it('refuses an address to return to that is not http or https, contains credentials, or is too long', async () => {
      const { readable_collection_id } = await house.waiting();
      for (const redirect_uri of [
        'javascript:alert(1)',
        'data:text/html,x',
        'https://user:password@app.example.com/',
        `https://app.example.com/${'x'.repeat(10_000)}`,
        '/relative',
        'https://',
      ])
        for (const given of [
          { auth: { oauth_browser: { redirect_uri } } },
          { authentication: { redirect_uri } },
          { redirect_url: redirect_uri },
        ]) {
          const input = { name: 'Notes', short_name: 'notebook', readable_collection_id, ...given };
          const { status, body } = await house.call('POST', '/v1/source-connections', input);
          assert.equal(status, 422, redirect_uri.slice(0, 50));
          assert.ok(JSON.stringify(body).length < 2000);
        }
    });
  });
