import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { AppError } from '../errors.ts';
import { defineSource } from '../sources/define.ts';
import { signInOf } from './authentication.ts';

const oauth = {
  authorizeUrl: 'https://example.com/authorize',
  tokenUrl: 'https://example.com/token',
  scopes: [],
  refresh: 'rotating',
} as const;
const source = (kind: 'all' | 'direct' | 'none') =>
  defineSource({
    shortName: 'test',
    name: 'Test',
    description: '',
    labels: [],
    auth: {
      ...(kind !== 'none' && { direct: { fields: z.object({ token: z.string() }) } }),
      ...(kind === 'all' && { oauth }),
    },
    ...(kind === 'all' && { api: { baseUrl: 'https://api.example.com' } }),
    config: z.strictObject({}),
    entities: {},
    evidence: [],
    rateLimitLevel: null,
  });
const all = source('all');

describe('signInOf', () => {
  it('[AUTH-27] derives the method of the flat form from its fields', () => {
    const method = (authentication: object) => signInOf(all, { authentication }).method;
    assert.equal(method({ credentials: { token: 'x' }, access_token: 'y' }), 'direct');
    assert.equal(method({ access_token: 'y', provider_readable_id: 'p' }), 'oauth_token');
    assert.equal(method({ provider_readable_id: 'p' }), 'auth_provider');
    assert.equal(method({ redirect_uri: 'https://example.org' }), 'oauth_browser');
    assert.equal(method({}), 'oauth_browser');
  });

  it('[AUTH-02] reads the method from the key in auth', () => {
    assert.equal(
      signInOf(all, { auth: { oauth_token: { access_token: 'x' } } }).method,
      'oauth_token',
    );
    const direct = signInOf(all, { auth: { direct: { credentials: { token: 'x' } } } });
    assert.deepEqual(direct, {
      method: 'direct',
      credentials: { token: 'x' },
      loc: ['body', 'auth', 'direct', 'credentials'],
    });
  });

  it('[AUTH-03] refuses both forms at once', () =>
    assert.throws(
      () =>
        signInOf(all, {
          authentication: { credentials: {} },
          auth: { direct: { credentials: {} } },
        }),
      { status: 422, message: /not both/ },
    ));

  it('refuses a method that the source does not support, and names the supported ones', () =>
    assert.throws(() => signInOf(source('direct'), { authentication: { access_token: 'x' } }), {
      status: 422,
      message: 'test does not sign in by oauth_token; it takes direct',
    }));

  it('[GEN-14] names the field that selects a method that the source does not support', () => {
    const at = (input: object): unknown => {
      try {
        return signInOf(source('direct'), input);
      } catch (error) {
        return (error as AppError).faults[0]?.loc.slice(1).join('.');
      }
    };
    assert.deepEqual(
      [
        { auth: { oauth_token: { access_token: 'x' } } },
        { auth: { auth_provider: { provider_readable_id: 'p' } } },
        { authentication: { access_token: 'x' } },
        { authentication: { provider_readable_id: 'p' } },
        { authentication: { redirect_uri: 'https://example.org' } },
      ].map(at),
      [
        'auth.oauth_token',
        'auth.auth_provider',
        'authentication.access_token',
        'authentication.provider_readable_id',
        'authentication',
      ],
    );
  });

  it('[GEN-14] takes missing credentials as empty ones, whose fields are then asked for', () =>
    assert.deepEqual(signInOf(source('direct'), {}), {
      method: 'direct',
      credentials: {},
      loc: ['body', 'authentication', 'credentials'],
    }));

  it('[AUTH-13] requires nothing for a source without credentials', () => {
    for (const input of [{}, { authentication: {} }])
      assert.deepEqual(signInOf(source('none'), input).method, 'direct');
  });
});
