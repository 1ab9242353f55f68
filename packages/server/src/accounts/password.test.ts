import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashPassword, isPassword } from './password.ts';

describe('passwords', () => {
  it('are known by their hash, which has a salt of its own', async () => {
    const [first, second] = [
      await hashPassword('secret words'),
      await hashPassword('secret words'),
    ];
    assert.notEqual(first, second);
    for (const hash of [first, second]) {
      assert.equal(await isPassword('secret words', hash), true);
      assert.equal(await isPassword('secret word', hash), false);
    }
  });

  it('are the same in every form of Unicode', async () => {
    const hash = await hashPassword('caf\u00e9 \ufb01n');
    assert.equal(await isPassword('cafe\u0301 fin', hash), true);
  });

  it('are compared with the parameters of the hash', async () => {
    // This is a test vector of the reference implementation (phc-winner-argon2, test.c, version 0x13, Argon2id).
    const hash =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await isPassword('password', hash), true);
    assert.equal(await isPassword('Password', hash), false);
  });

  it('belong to no account that has none', async () => {
    for (const password of ['', '\0', 'x']) assert.equal(await isPassword(password, null), false);
    await assert.rejects(isPassword('x', 'plain text'), {
      message: 'a password hash is unreadable',
    });
  });
});
