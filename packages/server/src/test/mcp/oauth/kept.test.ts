import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { must } from '../../../util.ts';
import { DATABASES } from '../../databases.ts';
import { LIST, type OAuthHouse, openOAuthHouse } from './house.ts';
import { type Issuer, json, openIssuer } from './issuer.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CLIENT = { id: 'us:', secret: 'a + secret' };

/** Nothing about a token is in the database, so one kind of database is enough. */
describe('the cache of tokens', () => {
  let issuer: Issuer;
  let house: OAuthHouse;
  let said: Record<string, unknown>;

  before(async () => {
    issuer = await openIssuer();
    house = await openOAuthHouse(must(DATABASES[0]), issuer.issuer, { client: CLIENT });
  });
  after(async () => {
    await house.close();
    await issuer.close();
  });
  beforeEach(async () => {
    issuer.heal();
    // Each test has another account, because new sessions are limited for each account.
    const { email, userId } = await house.stranger();
    said = { active: true, sub: userId, aud: house.resource, email, email_verified: true };
    issuer.answers['/introspect'] = json(said);
  });

  const statusOf = async (token: string) => {
    const { status, body } = await house.list(token);
    if (status === 401) assert.equal(body.error.message, 'Invalid OAuth token');
    return status;
  };

  it('[MCP-12] accepts a valid token for an hour, so a revoked token is refused after an hour at the latest', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    assert.equal(await statusOf('token'), 200);
    issuer.answers['/introspect'] = json({ active: false });
    t.mock.timers.setTime(NOON + HOUR - 1);
    assert.equal(await statusOf('token'), 200);
    assert.equal(issuer.count('/introspect'), 1);
    t.mock.timers.setTime(NOON + HOUR);
    assert.equal(await statusOf('token'), 401);
    assert.equal(issuer.count('/introspect'), 2);
  });

  it('[MCP-12] [MCP-13] accepts no token after its end', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    const end = NOON + 10 * MINUTE;
    issuer.answers['/introspect'] = json({ ...said, exp: end / SECOND });
    const signed = await issuer.sign({ ...said, exp: end / SECOND });
    for (const token of ['opaque', signed]) assert.equal(await statusOf(token), 200);
    t.mock.timers.setTime(end - 1);
    for (const token of ['opaque', signed]) assert.equal(await statusOf(token), 200);
    t.mock.timers.setTime(end);
    for (const token of ['opaque', signed]) assert.equal(await statusOf(token), 401);
  });

  it('refuses an invalid token for a few seconds without asking the issuer again', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    issuer.answers['/introspect'] = json({ active: false });
    for (let i = 0; i < 5; i++) assert.equal(await statusOf('later'), 401);
    assert.equal(issuer.count('/introspect'), 1);
    issuer.answers['/introspect'] = json(said);
    t.mock.timers.setTime(NOON + 10 * SECOND);
    assert.equal(await statusOf('later'), 200);
  });

  it('asks the issuer once for many simultaneous requests with a new token', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON + 2 * HOUR });
    const { session = '' } = await house.list('before');
    issuer.asked.length = 0;
    const all = await Promise.all(
      Array.from({ length: 200 }, () => house.list('new', { 'mcp-session-id': session })),
    );
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
    assert.equal(issuer.count('/introspect'), 1);
  });

  it('asks the issuer as RFC 7662 requires, with encoded credentials', async () => {
    let seen: { authorization?: string | undefined; body: string } = { body: '' };
    issuer.answers['/introspect'] = (req, res, body) => {
      seen = { authorization: req.headers.authorization, body };
      json(said)(req, res, body);
    };
    assert.equal(await statusOf('a/b+c=='), 200);
    const sent = Object.fromEntries(new URLSearchParams(seen.body));
    assert.deepEqual(sent, { token: 'a/b+c==', token_type_hint: 'access_token' });
    const [, basic = ''] = /^Basic (.*)$/.exec(seen.authorization ?? '') ?? [];
    assert.equal(Buffer.from(basic, 'base64').toString(), 'us%3A:a+%2B+secret');
  });

  it('[MCP-13] refuses a token when the answer of the issuer does not fit this service', async () => {
    for (const [i, other] of [
      { active: false },
      { aud: 'https://other.example' },
      { aud: undefined },
      { iss: 'https://other.example' },
      { exp: Date.now() / SECOND - 1 },
      { nbf: Date.now() / SECOND + 600 },
      { sub: undefined },
      { cnf: { jkt: 'x' } },
      { token_type: 'DPoP' },
      { token_type: 'refresh_token' },
    ].entries()) {
      issuer.answers['/introspect'] = json({ ...said, ...other });
      assert.equal(await statusOf(`opaque ${i}`.replace(' ', '-')), 401, JSON.stringify(other));
    }
    issuer.answers['/introspect'] = json({ error: 'unsupported_token_type' }, 400);
    assert.equal(await statusOf('of-another-kind'), 401);
    issuer.answers['/introspect'] = json({ ...said, token_type: 'bearer', iss: issuer.issuer });
    assert.equal(await statusOf('good'), 200);
  });

  it('[MCP-13] refuses a revoked JWT when the issuer is asked about all tokens', async () => {
    const settings = { client: CLIENT, introspectsAll: true };
    const strict = await openOAuthHouse(must(DATABASES[0]), issuer.issuer, settings);
    try {
      const { email, userId } = await strict.stranger();
      const claims = { sub: userId, aud: strict.resource, email, email_verified: true };
      const token = (jti: string) => issuer.sign({ ...claims, jti });
      issuer.answers['/introspect'] = json({ ...claims, active: true });
      assert.equal((await strict.list(await token('good'))).status, 200);
      for (const [jti, other] of [
        ['revoked', { active: false }],
        ['swapped', { sub: 'another' }],
      ] as const) {
        issuer.answers['/introspect'] = json({ ...claims, active: true, ...other });
        assert.equal((await strict.list(await token(jti))).status, 401, jti);
      }
      const before = issuer.count('/introspect');
      const foreign = await issuer.sign({ ...claims, aud: 'https://other.example' });
      assert.equal((await strict.list(foreign)).status, 401);
      assert.equal(issuer.count('/introspect'), before);
    } finally {
      await strict.close();
    }
  });

  it('a token in the body or in the query is ignored', async () => {
    const { status } = await house.post(undefined, { ...LIST, access_token: 'good' });
    assert.equal(status, 401);
    const url = `${house.resource}?access_token=good`;
    assert.equal((await fetch(url, { method: 'POST' })).status, 401);
  });
});
