import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { createAsk } from '../../../issuer/issuer-client.ts';
import { createTokenVerifier } from '../../../mcp/oauth/tokens.ts';
import { anywhere } from '../../environment.ts';
import { type Issuer, makeKey, openIssuer } from './issuer.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const SECOND = 1000;
const ADA = { aud: 'us', email: 'ada@example.com', email_verified: true };
const INVALID = { name: 'InvalidToken' };

describe('keys of an issuer', () => {
  let issuer: Issuer;

  before(async () => {
    issuer = await openIssuer();
  });
  after(() => issuer.close());
  beforeEach(() => issuer.heal());

  const openTokens = () =>
    createTokenVerifier(
      {
        issuer: issuer.issuer,
        resource: 'http://127.0.0.1/mcp',
        audience: 'us',
        scopes: [],
        client: null,
        introspectsAll: false,
      },
      createAsk(issuer.issuer, anywhere.send),
    );

  it('may have any asymmetric algorithm, with or without a key id', async () => {
    const algorithms = ['RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];
    const keys = await Promise.all(algorithms.map((alg) => makeKey(`of ${alg}`, alg)));
    const second = await makeKey('second');
    issuer.keys.push(...keys, second);
    const emailOf = openTokens();
    for (const key of [...keys, second])
      assert.equal(await emailOf(await issuer.sign(ADA, {}, key)), ADA.email);
    const nameless = await issuer.sign(ADA, { kid: undefined as never }, second);
    assert.equal(await emailOf(nameless), ADA.email);
    const thief = await issuer.sign(ADA, { kid: undefined as never }, await makeKey('thief'));
    await assert.rejects(emailOf(thief), INVALID);
  });

  it('are requested only once in half a minute, even when many tokens name unknown keys', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    const emailOf = openTokens();
    const invented = async (name: string) =>
      assert.rejects(emailOf(await issuer.sign(ADA, { kid: name })), INVALID);
    await Promise.all(Array.from({ length: 50 }, (_, i) => invented(`kid ${i}`)));
    for (let i = 50; i < 70; i++) await invented(`kid ${i}`);
    assert.deepEqual([issuer.count('/jwks'), issuer.count(issuer.METADATA)], [1, 1]);
    t.mock.timers.setTime(NOON + 31 * SECOND);
    await Promise.all(Array.from({ length: 50 }, (_, i) => invented(`later ${i}`)));
    assert.equal(issuer.count('/jwks'), 2);
  });

  it('are not requested for a token whose algorithm no key can have', async () => {
    const emailOf = openTokens();
    const secret = new TextEncoder().encode('x'.repeat(32));
    const claims = { iss: issuer.issuer, sub: 'ada', exp: Date.now() / 1000 + 600, ...ADA };
    const hashed = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'main' });
    for (const token of [await hashed.sign(secret), new UnsecuredJWT(claims).encode()])
      await assert.rejects(emailOf(token), INVALID);
    assert.equal(issuer.count('/jwks'), 0);
  });

  it('are found when they are new, and no longer accepted when they are withdrawn', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    const emailOf = openTokens();
    await emailOf(await issuer.sign(ADA));
    const next = await makeKey('next');
    issuer.keys.splice(0, 1, next);
    t.mock.timers.setTime(NOON + 31 * SECOND);
    assert.equal(await emailOf(await issuer.sign(ADA, {}, next)), ADA.email);
    await assert.rejects(emailOf(await issuer.sign({ ...ADA, jti: 'new' })), INVALID);
  });
});
