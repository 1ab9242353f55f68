import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type CryptoKey, exportJWK, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { must } from '../../../util.ts';
import { DATABASES } from '../../databases.ts';
import { type OAuthHouse, openOAuthHouse } from './house.ts';
import { type Issuer, makeKey, openIssuer } from './issuer.ts';

const HOUR = 3600;
const now = () => Math.floor(Date.now() / 1000);

/** Nothing about a token is in the database, so one kind of database is enough. */
describe('OAuth tokens at the tool server', () => {
  let issuer: Issuer;
  let house: OAuthHouse;
  /** A good token has these claims. */
  let good: { aud: string; email: string; email_verified: boolean };

  before(async () => {
    issuer = await openIssuer();
    house = await openOAuthHouse(must(DATABASES[0]), issuer.issuer);
    const { email } = await house.stranger();
    good = { aud: house.resource, email, email_verified: true };
  });
  after(async () => {
    await house.close();
    await issuer.close();
  });
  beforeEach(() => issuer.heal());

  async function refused(token: string): Promise<void> {
    const { status, body, headers } = await house.list(token);
    assert.deepEqual([status, body.jsonrpc], [401, '2.0'], JSON.stringify(body));
    assert.deepEqual(body.error, { code: -32001, message: 'Invalid OAuth token' });
    const challenge = headers.get('www-authenticate') ?? '';
    assert.match(challenge, /^Bearer error="invalid_token", /);
    const metadata = `${house.address}/.well-known/oauth-protected-resource/mcp`;
    assert.ok(challenge.includes(`resource_metadata="${metadata}"`), challenge);
  }

  async function accepted(token: string): Promise<void> {
    const { status, body } = await house.list(token);
    assert.equal(status, 200, JSON.stringify(body));
  }

  it('a valid token is accepted, in every form that issuers use', async () => {
    for (const typ of ['at+jwt', 'application/at+jwt', 'JWT', undefined])
      await accepted(await issuer.sign({ ...good, jti: typ }, { typ: typ as string }));
    await accepted(await issuer.sign({ ...good, aud: ['https://other.example', good.aud] }));
    await accepted(await issuer.sign({ ...good, email_verified: 'true' }));
    await accepted(await issuer.sign({ ...good, nbf: now() + 5 }));
  });

  it('[MCP-13] a token is refused for a wrong audience or issuer, a wrong time, a missing claim, another type, or a binding to a key', async () => {
    for (const claims of [
      { aud: 'https://other.example/mcp' },
      { aud: [] },
      { aud: undefined },
      { iss: 'https://other.example' },
      { iss: undefined },
      { exp: now() },
      { exp: now() - HOUR },
      { exp: undefined },
      { nbf: now() + HOUR },
      { sub: undefined },
      { sub: '' },
      { cnf: { jkt: 'x' } },
    ])
      await refused(await issuer.sign({ ...good, ...claims }));
    for (const typ of ['logout+jwt', 'dpop+jwt', 'application/x'])
      await refused(await issuer.sign(good, { typ }));
    await refused(await issuer.sign(good, { crit: ['x'], x: 1 }).catch(() => 'x.y.z'));
  });

  it('[MCP-13] a token is refused without a signature, or with a signature that anybody can make', async () => {
    const claims = { iss: issuer.issuer, sub: 'somebody', exp: now() + HOUR, ...good };
    await refused(new UnsecuredJWT(claims).encode());
    const [, payload = '', signature = ''] = (await issuer.sign(good)).split('.');
    const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    await refused(`${header({ alg: 'none' })}.${payload}.${signature}`);
    await refused(`${header({ alg: 'RS256', kid: 'main' })}.${payload}.`);
    // The attacker uses the public key as the secret of an HMAC.
    const publicKey = (await importJWK(issuer.main.publicJwk, 'RS256')) as CryptoKey;
    for (const secret of [await exportSPKI(publicKey), must(issuer.main.publicJwk.n)])
      for (const alg of ['HS256', 'HS512'])
        await refused(
          await new SignJWT(claims)
            .setProtectedHeader({ alg, kid: 'main', typ: 'at+jwt' })
            .sign(new TextEncoder().encode(secret)),
        );
  });

  it('[MCP-13] a token is refused that was changed, or that another key has signed, even if the token contains or links that key', async () => {
    const [header, payload = '', signature] = (await issuer.sign(good)).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
    await refused(`${header}.${other}.${signature}`);
    const thief = await makeKey('main');
    await refused(await issuer.sign(good, {}, thief));
    await refused(await issuer.sign(good, { jwk: await exportJWK(thief.privateKey) }, thief));
    let visits = 0;
    const lair = createServer((_req, res) => {
      visits++;
      res.end(JSON.stringify({ keys: [thief.publicJwk] }));
    }).listen(0, '127.0.0.1');
    await once(lair, 'listening');
    const jku = `http://127.0.0.1:${(lair.address() as AddressInfo).port}/jwks`;
    await refused(await issuer.sign(good, { jku, x5u: jku }, thief));
    lair.close();
    assert.equal(visits, 0);
  });

  it('[MCP-13] a text that is not a JWT is refused', async () => {
    for (const token of ['x', 'a.b.c', '..', 'a.b.c.d.e', '{}', '%00', 'é', 'x'.repeat(8000)])
      await refused(token);
  });

  it('without a token, the challenge names the metadata of the resource, and has no error code', async () => {
    const { status, body, headers } = await house.list(undefined);
    assert.deepEqual([status, body.error.code], [401, -32001]);
    assert.equal(
      headers.get('www-authenticate'),
      `Bearer resource_metadata="${house.address}/.well-known/oauth-protected-resource/mcp", scope="openid email"`,
    );
    for (const path of ['', '/mcp']) {
      const url = `${house.address}/.well-known/oauth-protected-resource${path}`;
      const metadata = await (await fetch(url)).json();
      assert.deepEqual(metadata, {
        resource: house.resource,
        authorization_servers: [issuer.issuer],
        scopes_supported: ['openid', 'email'],
        bearer_methods_supported: ['header'],
        resource_name: 'Quarry',
      });
    }
    const { body: api } = await house.call('GET', '/openapi.json');
    assert.ok(api.paths['/.well-known/oauth-protected-resource/mcp'].get);
  });

  it('a token is accepted by the tool server only, and not by the rest of the API', async () => {
    const token = await issuer.sign(good);
    await accepted(token);
    assert.equal((await house.call('GET', '/v1/collections', { key: token })).status, 401);
  });
});
