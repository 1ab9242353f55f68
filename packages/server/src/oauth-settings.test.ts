import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { SECRET_SETTINGS } from './secret-settings.ts';

const ISSUER = 'https://issuer.example/realms/one';
const oauth = (env: Record<string, string>) =>
  readConfig({ QUARRY_OAUTH_ISSUER: ISSUER, ...env }).oauth;

describe('OAuth settings', () => {
  it('need only an issuer on a single machine', () => {
    assert.equal(readConfig({}).oauth, null);
    assert.equal(readConfig({ QUARRY_OAUTH_ISSUER: ' ' }).oauth, null);
    assert.deepEqual(oauth({}), {
      issuer: ISSUER,
      resource: 'http://127.0.0.1:8099/mcp',
      audience: 'http://127.0.0.1:8099/mcp',
      scopes: ['openid', 'email'],
      client: null,
      introspectsAll: false,
    });
    assert.equal(oauth({ QUARRY_HOST: '::1' })?.resource, 'http://[::1]:8099/mcp');
  });

  it('contain the address of the service, the audience of tokens, and the client for introspection', () => {
    assert.deepEqual(
      oauth({
        QUARRY_PUBLIC_URL: 'https://quarry.example.com/',
        QUARRY_HOST: '0.0.0.0',
        QUARRY_OAUTH_AUDIENCE: 'api://quarry',
        QUARRY_OAUTH_SCOPES: 'openid, email,api://quarry/search',
        QUARRY_OAUTH_CLIENT_ID: 'us',
        QUARRY_OAUTH_CLIENT_SECRET: 'secret',
        QUARRY_OAUTH_INTROSPECT: 'all',
      }),
      {
        issuer: ISSUER,
        resource: 'https://quarry.example.com/mcp',
        audience: 'api://quarry',
        scopes: ['openid', 'email', 'api://quarry/search'],
        client: { id: 'us', secret: 'secret' },
        introspectsAll: true,
      },
    );
    assert.ok(SECRET_SETTINGS.has('QUARRY_OAUTH_CLIENT_SECRET'));
  });

  it('need a public address from the operator, unless the service is on this machine', () => {
    for (const env of [{ QUARRY_HOST: '0.0.0.0' }, { QUARRY_PORT: '0' }] as Record<
      string,
      string
    >[])
      assert.throws(() => oauth(env), /QUARRY_OAUTH_ISSUER needs QUARRY_PUBLIC_URL: the address/);
    for (const text of ['quarry.example.com', 'https://a.example/path', 'ftp://a.example', 'x'])
      assert.throws(() => oauth({ QUARRY_PUBLIC_URL: text }), /^Error: QUARRY_PUBLIC_URL: use/);
  });

  it('refuse an issuer without TLS, with credentials or with a query', () => {
    for (const issuer of ['http://localhost:3000', 'http://[::1]:1/x', 'http://127.0.0.1:9'])
      assert.equal(oauth({ QUARRY_OAUTH_ISSUER: issuer })?.issuer, issuer);
    for (const issuer of [
      'http://issuer.example',
      'http://127.0.0.1.evil.example',
      'https://user:password@issuer.example',
      'https://issuer.example/?x',
      'https://issuer.example/#x',
      'issuer.example',
    ])
      assert.throws(
        () => oauth({ QUARRY_OAUTH_ISSUER: issuer }),
        /^Error: QUARRY_OAUTH_ISSUER: use/,
      );
  });

  it('refuse contradictory settings, and name them', () => {
    for (const [env, message] of [
      [
        { QUARRY_OAUTH_CLIENT_ID: 'us' },
        /_CLIENT_ID and QUARRY_OAUTH_CLIENT_SECRET belong together/,
      ],
      [{ QUARRY_OAUTH_CLIENT_SECRET: 'x' }, /belong together: set both or neither/],
      [
        { QUARRY_OAUTH_INTROSPECT: 'all' },
        /QUARRY_OAUTH_INTROSPECT=all needs QUARRY_OAUTH_CLIENT_ID/,
      ],
    ] as [Record<string, string>, RegExp][])
      assert.throws(() => oauth(env), message);
    for (const [name, value] of [
      ['QUARRY_OAUTH_AUDIENCE', 'x'],
      ['QUARRY_OAUTH_CLIENT_ID', 'x'],
      ['QUARRY_OAUTH_CLIENT_SECRET', 'x'],
      ['QUARRY_OAUTH_INTROSPECT', 'all'],
    ] as const)
      assert.throws(
        () => readConfig({ [name]: value }),
        new RegExp(`^Error: ${name} has no effect without QUARRY_OAUTH_ISSUER`),
      );
  });

  it('[MEM-09] say who signs in through the issuer, which needs a client', () => {
    const signIn = (env: Record<string, string>) => readConfig(env).issuerSignIn;
    const client = { QUARRY_OAUTH_CLIENT_ID: 'us', QUARRY_OAUTH_CLIENT_SECRET: 'secret' };
    const all = { QUARRY_OAUTH_ISSUER: ISSUER, ...client };
    assert.equal(signIn(all), null);
    for (const [who, role] of [
      ['members', null],
      ['read', 'read'],
      ['member', 'member'],
      ['admin', 'admin'],
    ] as const)
      assert.deepEqual(signIn({ ...all, QUARRY_OAUTH_SIGN_IN: who }), {
        issuer: ISSUER,
        client: { id: 'us', secret: 'secret' },
        role,
      });
    for (const env of [{}, { QUARRY_OAUTH_ISSUER: ISSUER }] as Record<string, string>[])
      assert.throws(() => signIn({ ...env, QUARRY_OAUTH_SIGN_IN: 'members' }), {
        message: /QUARRY_OAUTH_SIGN_IN needs .* QUARRY_OAUTH_CLIENT_SECRET: set them/,
      });
    assert.throws(() => signIn({ ...all, QUARRY_OAUTH_SIGN_IN: 'anybody' }));
  });
});
