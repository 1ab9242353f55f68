import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createVault, keyFileSecret } from './secrets.ts';

describe('vault', () => {
  const vault = createVault('a secret of at least thirty-two characters');

  it('opens what it sealed, and never seals twice the same', () => {
    const plain = { password: 'hunter2', nested: [1, null] };
    const sealed = vault.seal(plain, 'row');
    assert.deepEqual(vault.open(sealed, 'row'), plain);
    assert.notEqual(vault.seal(plain, 'row'), sealed);
    assert.ok(!sealed.includes('hunter2'));
  });

  it('does not open what was moved to another row', () =>
    assert.throws(() => vault.open(vault.seal('x', 'row'), 'other')));

  it('does not open what was changed or cut', () => {
    const bytes = Buffer.from(vault.seal('secret', 'row').slice(3), 'base64url');
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => vault.open(`v1.${changed.toString('base64url')}`, 'row'));
    }
    assert.throws(() => vault.open(`v1.${bytes.subarray(0, -12).toString('base64url')}`, 'row'));
    assert.throws(() => vault.open(bytes.toString('base64url'), 'row'), /version/);
  });

  it('does not open with another key, whose id differs', () => {
    const other = createVault('another secret of thirty-two characters!');
    assert.throws(() => other.open(vault.seal('x', 'row'), 'row'));
    assert.notEqual(other.keyId, vault.keyId);
    assert.equal(createVault('a secret of at least thirty-two characters').keyId, vault.keyId);
  });
});

describe('key file', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-key-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const file = () => join(dir, 'encryption.key');

  it('[GEN-30] is made with mode 0600 and used again by the next start', () => {
    const secret = keyFileSecret(dir);
    assert.ok(secret.length >= 43);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    assert.equal(keyFileSecret(dir), secret);
    assert.equal(readFileSync(file(), 'utf8').trim(), secret);
  });

  it('refuses a file that others can read', () => {
    keyFileSecret(dir);
    chmodSync(file(), 0o640);
    assert.throws(() => keyFileSecret(dir), /chmod 600/);
  });

  it('refuses an empty file instead of making a new key', () => {
    writeFileSync(file(), '', { mode: 0o600 });
    assert.throws(() => keyFileSecret(dir), /backup/);
  });
});
