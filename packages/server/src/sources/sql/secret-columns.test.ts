import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrayOf, kindOf } from '../postgresql/values.ts';
import { isSecret } from './secret-columns.ts';

const text = kindOf('text', false);

describe('isSecret', () => {
  it('is true for columns that are named like a secret', () => {
    for (const name of [
      'password',
      'Password',
      'password_hash',
      'passwordHash',
      'encrypted_password',
      'hashedpassword',
      'user_pwd',
      'secret',
      'client_secret',
      'clientSecret',
      'token',
      'api_token',
      'resetToken',
      'refreshtoken',
      'api_key',
      'apikey',
      'APIKey',
      'stripe_private_key',
      'privatekey',
      'session_key',
      'salt',
      'credentials',
      'totp',
      'recovery_codes',
      'Card CVV',
    ])
      assert.equal(isSecret(name, text), true, name);
    for (const type of ['varchar', 'uuid', 'jsonb'])
      assert.equal(isSecret('token', kindOf(type, false)), true, type);
    assert.equal(isSecret('tokens', arrayOf(text)), true);
  });

  it('is false for names that only contain such a word', () => {
    for (const name of [
      'name',
      'key',
      'primary_key',
      'hash',
      'secretary',
      'basalt',
      'tokenizer',
      'passenger',
      'compass',
      'keyword',
      'code',
      'passport',
    ])
      assert.equal(isSecret(name, text), false, name);
  });

  it('is false for numbers, times and booleans, which cannot hold a secret', () => {
    for (const [name, type] of [
      ['tokens', 'int4'],
      ['salt', 'numeric'],
      ['password_changed_at', 'timestamptz'],
      ['has_password', 'bool'],
    ] as const)
      assert.equal(isSecret(name, kindOf(type, false)), false, name);
  });
});
