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

/** The database holds nothing of a token, so one kind of database is enough. */
describe('what is kept of a token', () => {
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
    // Each test gets another account, because new sessions are limited for each.
    const { email, userId } = await house.stranger();
    said = { active: true, sub: userId, aud: house.resource, email, email_verified: true };
    issuer.answers['/introspect'] = json(said);
  });

  const statusOf = async (token: string) => {
    const { status, body } = await house.list(token);
    if (status === 401) assert.equal(body.error.message, 'Invalid OAuth token');
    return status;
  };

  it('[MCP-12] that it is good, for an hour and no longer: then a revoked one is refused', async (t) => {
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

  it('[MCP-12] [MCP-13] and never past its end, though nobody is asked again', async (t) => {
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

  it('that it is refused, for some seconds only', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    issuer.answers['/introspect'] = json({ active: false });
    for (let i = 0; i < 5; i++) assert.equal(await statusOf('later'), 401);
    assert.equal(issuer.count('/introspect'), 1);
    issuer.answers['/introspect'] = json(said);
    t.mock.timers.setTime(NOON + 10 * SECOND);
    assert.equal(await statusOf('later'), 200);
  });

  it('many requests at once with a new token ask the issuer once', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON + 2 * HOUR });
    const { session = '' } = await house.list('before');
    issuer.asked.length = 0;
    const all = await Promise.all(
      Array.from({ length: 200 }, () => house.list('new', { 'mcp-session-id': session })),
    );
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
    assert.equal(issuer.count('/introspect'), 1);
  });

  it('the issuer is asked as RFC 7662 says, by credentials that it can read', async () => {
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

  it('[MCP-13] what the issuer says of a token must be true of it here', async () => {
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

  it('[MCP-13] a revoked JWT is noticed where the issuer is asked about all tokens', async () => {
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

  it('a body is no place for a token', async () => {
    const { status } = await house.post(undefined, { ...LIST, access_token: 'good' });
    assert.equal(status, 401);
    const url = `${house.resource}?access_token=good`;
    assert.equal((await fetch(url, { method: 'POST' })).status, 401);
  });
});
