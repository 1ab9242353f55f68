import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must, newId } from '../../../util.ts';
import type { Caller } from '../../api/harness.ts';
import { DATABASES } from '../../databases.ts';
import { type OAuthHouse, openOAuthHouse } from './house.ts';
import { type Issuer, openIssuer } from './issuer.ts';

const HALF_PAST = Date.UTC(2026, 0, 1, 12, 30);

/** Nothing about a session is in the database, so one kind of database is enough. */
describe('sessions of an account', () => {
  let issuer: Issuer;
  let house: OAuthHouse;

  before(async () => {
    issuer = await openIssuer();
    house = await openOAuthHouse(must(DATABASES[0]), issuer.issuer);
  });
  after(async () => {
    await house.close();
    await issuer.close();
  });

  /** Returns a new token on each call. */
  const tokenOf = ({ email, userId }: Caller, claims: object = {}) =>
    issuer.sign({
      sub: userId,
      aud: house.resource,
      email,
      email_verified: true,
      jti: newId(),
      ...claims,
    });

  it('[MCP-08] [MCP-11] continue with a new token of the same account, and not for another account or a key', async () => {
    const [ada, bob] = [await house.stranger(), await house.stranger()];
    const { session = '' } = await house.list(await tokenOf(ada));
    const own = { 'mcp-session-id': session };
    const again = await house.list(await tokenOf(ada), own);
    assert.deepEqual([again.status, again.session], [200, session]);
    const strangers = [await tokenOf(bob), ada.key];
    for (const stranger of strangers) {
      const { status, body } = await house.list(stranger, own);
      assert.deepEqual([status, body.error.code], [404, -32004]);
      assert.match(body.error.message, /^Session not found: leave out mcp-session-id/);
    }
    const { status } = await house.list(await tokenOf(ada, { exp: 1 }), own);
    assert.equal(status, 401);
    const ended = await fetch(house.resource, {
      method: 'DELETE',
      headers: { ...own, authorization: `Bearer ${await tokenOf(bob)}` },
    });
    assert.equal(ended.status, 404);
    assert.equal((await house.list(await tokenOf(ada), own)).status, 200);
  });

  it('[MCP-15] are refused for another user agent', async () => {
    const ada = await house.stranger();
    const { session = '' } = await house.list(await tokenOf(ada), { 'user-agent': 'mine' });
    const theirs = { 'mcp-session-id': session, 'user-agent': 'theirs' };
    const { status, body } = await house.list(await tokenOf(ada), theirs);
    assert.deepEqual([status, body.error.code], [403, -32003]);
  });

  it('[MCP-16] [MCP-17] are limited to a hundred an hour for an account, however many tokens it has', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: HALF_PAST });
    const [ada, bob] = [await house.stranger(), await house.stranger()];
    const tokens = await Promise.all([1, 2, 3, 4].map(() => tokenOf(ada)));
    for (let i = 0; i < 100; i++) {
      const { status, body } = await house.list(must(tokens[i % 4]));
      assert.equal(status, 200, JSON.stringify(body));
    }
    const { status, body } = await house.list(must(tokens[0]));
    assert.deepEqual([status, body.error], [429, { code: -32002, message: 'Rate limit exceeded' }]);
    assert.equal((await house.list(await tokenOf(bob))).status, 200);
    t.mock.timers.setTime(HALF_PAST + 30 * 60_000);
    assert.equal((await house.list(must(tokens[0]))).status, 200);
  });

  it('[MCP-29] a Bearer value in the form of a key is treated as a key', async () => {
    const owner = await house.stranger();
    await house.addCollection(owner, 'keyed');
    const { status, body } = await house.list(owner.key);
    assert.deepEqual([status, body.result.tools[0].name], [200, 'search-keyed']);
    const { body: unknown } = await house.list(`quarry_${'x'.repeat(43)}`);
    assert.match(unknown.error.message, /^this API key is unknown/);
    assert.deepEqual(
      issuer.asked.filter((path) => path === '/introspect'),
      [],
    );
  });

  it('a key in its own header is used before a token', async () => {
    const [ada, bob] = [await house.stranger(), await house.stranger()];
    await house.addCollection(ada, 'of-the-key');
    const { status, body } = await house.list(await tokenOf(bob), { 'x-api-key': ada.key });
    assert.deepEqual([status, body.result.tools[0].name], [200, 'search-of-the-key']);
  });

  it('refuse the header that names an organization, because they reach all organizations of the account', async () => {
    const ada = await house.stranger();
    const header = { 'x-organization-id': ada.organizationId };
    const { status, body } = await house.list(await tokenOf(ada), header);
    assert.deepEqual([status, body.error.code], [400, -32602]);
  });
});
