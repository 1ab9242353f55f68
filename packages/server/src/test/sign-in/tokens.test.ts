/** Tests connections whose user brings tokens or a key, with a real provider. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import pino from 'pino';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { openSignInHouse, type SignInHouse } from './house.ts';
import { CLIENTS } from './provider.ts';

for (const database of DATABASES)
  describe(`connections with tokens of their user on ${database.name}`, () => {
    let house: SignInHouse;
    const logged: string[] = [];
    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openSignInHouse(database, { log });
    });
    after(() => house.close());
    afterEach(() => logged.splice(0));

    /** Returns the tokens of a sign-in by this service, in the place of tokens that another service has obtained. */
    async function issued() {
      const { id } = await house.signedIn({ sync_immediately: false });
      const { vault } = house;
      const row = await house.db
        .selectFrom('connection_tokens')
        .selectAll()
        .where('connection_id', '=', id)
        .executeTakeFirstOrThrow();
      await house.ok('DELETE', `/v1/source-connections/${id}`);
      return vault.open(must(row.tokens), `tokens of ${id}`) as {
        accessToken: string;
        refreshToken: string;
      };
    }
    const create = (auth: object, more: object = {}) =>
      house.waiting({ auth: undefined, ...auth, ...more });
    async function refused(auth: object, loc: readonly string[], message: RegExp): Promise<void> {
      const { readable_collection_id } = await house.waiting();
      const input = { name: 'Notes', short_name: 'notebook', readable_collection_id, ...auth };
      const { status, body } = await house.call('POST', '/v1/source-connections', input);
      assert.equal(status, 422, JSON.stringify(body));
      assert.deepEqual(body.detail[0].loc, ['body', ...loc]);
      assert.match(body.detail[0].msg, message);
    }
    const soon = () => new Date(Date.now() + 3_000_000).toISOString();

    it('[AUTH-01] [AUTH-06] [CON-13] [CON-14] use a token as it is, and renew it with the refresh token', async () => {
      const { accessToken: access_token, refreshToken: refresh_token } = await issued();
      const expires_at = soon();
      const { id, auth } = await create({
        authentication: { access_token, refresh_token, expires_at },
      });
      assert.deepEqual(
        [auth.method, auth.authenticated, auth.account, auth.auth_url],
        ['oauth_token', true, 'ann@example.com', undefined],
      );
      assert.ok(Math.abs(Date.parse(auth.expires_at) - Date.parse(expires_at)) < 5000);
      assert.equal((await house.settled(id)).status, 'completed');
      await house.expire(id);
      assert.equal((await house.sync(id)).status, 'completed');
      const text = JSON.stringify(await house.show(id)) + logged.join('');
      assert.ok(!text.includes(access_token) && !text.includes(refresh_token));
    });

    it('[AUTH-06] [AUTH-32] use a token without a refresh token until it ends', async () => {
      const { accessToken: access_token } = await issued();
      const { id, auth } = await create({ auth: { oauth_token: { access_token } } });
      assert.equal(auth.expires_at, null);
      assert.equal((await house.settled(id)).status, 'completed');
      await house.expire(id);
      assert.equal((await house.sync(id)).status, 'failed');
      assert.equal((await house.show(id)).status, 'NEEDS_REAUTH');
      // The operator has a client, so the person can now sign in.
      const again = await house.ok('POST', `/v1/source-connections/${id}/reinitiate-oauth`);
      await house.signIn(again.auth.auth_url);
      assert.equal((await house.settled(id)).status, 'completed');
      assert.equal((await house.show(id)).auth.method, 'oauth_token');
    });

    if (isSmokeEnough(database)) return;

    it('are refused with tokens that cannot work', async () => {
      const { accessToken: access_token, refreshToken: refresh_token } = await issued();
      const token = (more: object) => ({ auth: { oauth_token: { access_token, ...more } } });
      const loc = ['auth', 'oauth_token'];
      await refused(
        token({ expires_at: '2020-01-01T00:00:00Z' }),
        [...loc, 'expires_at'],
        /has expired/,
      );
      await refused(token({ access_token: 'a\nb' }), [...loc, 'access_token'], /cannot be sent/);
      await refused(token({ access_token: 'wrong' }), loc, /401/);
      await refused(
        { authentication: { access_token: 'wrong' } },
        ['authentication', 'access_token'],
        /401/,
      );
      await refused(
        { ...token({ refresh_token }), short_name: 'own_notebook' },
        [...loc, 'client_id'],
        /your own OAuth client/,
      );
      await refused(token({ client_secret: 'x' }), [...loc, 'client_secret'], /give both/);
    });

    it('[AUTH-08] renew a token with the client of the user', async () => {
      const { accessToken: access_token, refreshToken: refresh_token } = await issued();
      const { id: client_id, secret: client_secret } = CLIENTS.basic;
      const { id } = await create(
        { authentication: { access_token, refresh_token, client_id, client_secret } },
        { short_name: 'own_notebook' },
      );
      await house.settled(id);
      await house.expire(id);
      assert.equal((await house.sync(id)).status, 'completed');
    });

    it('[AUTH-33] show the account of a pasted key, and accept a new key of another account', async () => {
      const credentials = { key: 'a pasted key' };
      const { id, auth } = await create({ auth: { direct: { credentials } } });
      assert.deepEqual([auth.method, auth.account, auth.expires_at], ['direct', 'robot', null]);
      const { accessToken: key } = await issued();
      const patch = { authentication: { credentials: { key } } };
      const changed = await house.ok('PATCH', `/v1/source-connections/${id}`, patch);
      assert.equal(changed.auth.account, 'ann@example.com');
    });

    it('[AUTH-26] refuse new credentials when they use OAuth, with a 422 that says what to do', async () => {
      const { accessToken: access_token } = await issued();
      const made = await create({ auth: { oauth_token: { access_token } } });
      for (const patch of [
        { authentication: { credentials: { key: 'x' } } },
        { auth: { oauth_token: { access_token } } },
      ]) {
        const { status, body } = await house.call(
          'PATCH',
          `/v1/source-connections/${made.id}`,
          patch,
        );
        assert.equal(status, 422);
        assert.match(body.detail[0].msg, /delete it and create it again/);
      }
      assert.equal((await house.show(made.id)).status, 'SYNCING');
      await house.settled(made.id);
    });
  });
