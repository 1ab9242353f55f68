import assert from 'node:assert/strict';
import fs, {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { createVault, keyFileSecret, openSealed, sealAgain } from './secrets.ts';

describe('vault', () => {
  const vault = createVault('a secret of at least thirty-two characters');

  it('opens the values that it sealed, and seals a value differently each time', () => {
    const plain = { password: 'hunter2', nested: [1, null] };
    const sealed = vault.seal(plain, 'row');
    assert.deepEqual(vault.open(sealed, 'row'), plain);
    assert.notEqual(vault.seal(plain, 'row'), sealed);
    assert.ok(!String(sealed).includes('hunter2'));
  });

  it('does not open a value that was moved to another row', () =>
    assert.throws(() => vault.open(vault.seal('x', 'row'), 'other')));

  it('does not open a value that was changed or cut', () => {
    const bytes = Buffer.from(String(vault.seal('secret', 'row')).slice(3), 'base64url');
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => vault.open(`v1.${changed.toString('base64url')}`, 'row'));
    }
    assert.throws(() => vault.open(`v1.${bytes.subarray(0, -12).toString('base64url')}`, 'row'));
    assert.throws(() => vault.open(bytes.toString('base64url'), 'row'), /version/);
  });

  it('opens a value that Web Crypto sealed with the same steps, and computes the same key id as earlier versions', async () => {
    const { subtle } = globalThis.crypto;
    const bytes = (text: string) => new TextEncoder().encode(text);
    const secret = bytes('a secret of at least thirty-two characters');
    const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
    const info = bytes('quarry credentials v1');
    const derivation = { name: 'HKDF', hash: 'SHA-256', salt: bytes(''), info };
    const bits = await subtle.deriveBits(derivation, material, 256);
    const key = await subtle.importKey('raw', bits, 'AES-GCM', false, ['encrypt']);
    const cipher = { name: 'AES-GCM', iv: bytes('twelve bytes'), additionalData: bytes('row') };
    const body = await subtle.encrypt({ ...cipher, tagLength: 128 }, key, bytes('{"a":[1,null]}'));
    const sealed = Buffer.concat([cipher.iv, Buffer.from(body)]).toString('base64url');
    assert.deepEqual(vault.open(`v1.${sealed}`, 'row'), { a: [1, null] });
    const named = await subtle.digest(
      'SHA-256',
      Buffer.concat([bytes('key id'), Buffer.from(bits)]),
    );
    assert.equal(vault.keyId, Buffer.from(named).toString('hex').slice(0, 16));
  });

  it('seals with a nonce of 12 bytes and a tag of 16', () => {
    const sealed = () => Buffer.from(String(vault.seal('x', 'row')).slice(3), 'base64url');
    assert.equal(sealed().length, 12 + JSON.stringify('x').length + 16);
    assert.notDeepEqual(sealed().subarray(0, 12), sealed().subarray(0, 12));
  });

  it('refuses a shorter authentication tag', () => {
    for (const length of [4, 8, 12, 15])
      assert.throws(() => vault.open(`v1.${Buffer.alloc(length).toString('base64url')}`, 'row'), {
        code: 'ERR_CRYPTO_INVALID_AUTH_TAG',
      });
  });

  it('does not open values of another key, which has another id', () => {
    const other = createVault('another secret of thirty-two characters!');
    assert.throws(() => other.open(vault.seal('x', 'row'), 'row'));
    assert.notEqual(other.keyId, vault.keyId);
    assert.equal(createVault('a secret of at least thirty-two characters').keyId, vault.keyId);
  });

  it('opens the values of both of its keys, and seals with the first key', () => {
    const old = createVault('another secret of thirty-two characters!');
    const third = createVault('a third secret of at least thirty-two characters');
    const both = createVault(
      'a secret of at least thirty-two characters',
      'another secret of thirty-two characters!',
    );
    assert.deepEqual([both.keyId, both.keyIds], [vault.keyId, [vault.keyId, old.keyId]]);
    assert.equal(both.open(old.seal('x', 'row'), 'row'), 'x');
    assert.equal(vault.open(both.seal('x', 'row'), 'row'), 'x');
    assert.throws(() => old.open(both.seal('x', 'row'), 'row'));
    assert.throws(() => both.open(third.seal('x', 'row'), 'row'));
    assert.throws(() => both.open(old.seal('x', 'row'), 'other'));

    const again = sealAgain(both, old.seal('x', 'row'), 'row');
    assert.equal(vault.open(again, 'row'), 'x');
    const stored = { sealed: old.seal('x', 'row'), key: old.keyId, place: 'row' };
    assert.equal(openSealed(both, stored), 'x');
    assert.throws(() => openSealed(vault, stored), /another encryption key/);
    assert.throws(() => openSealed(both, { ...stored, key: third.keyId }), /another encryption/);
    assert.throws(() => openSealed(both, { ...stored, key: null }), /another encryption key/);
    assert.equal(openSealed(both, { ...stored, sealed: null }), null);
  });
});

describe('the key file', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-key-'));
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    rmSync(dir, { recursive: true });
  });
  const file = () => join(dir, 'encryption.key');

  it('[GEN-30] is created with mode 0600, and used again by the next start', () => {
    const secret = keyFileSecret(dir);
    assert.ok(secret.length >= 43);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    assert.equal(keyFileSecret(dir), secret);
    assert.equal(readFileSync(file(), 'utf8').trim(), secret);
  });

  it('is only read when it exists', () => {
    keyFileSecret(dir);
    utimesSync(dir, 0, 0);
    keyFileSecret(dir);
    assert.equal(statSync(dir).mtimeMs, 0);
  });

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601])
    it(`is refused with mode ${mode.toString(8)}`, () => {
      keyFileSecret(dir);
      chmodSync(file(), mode);
      assert.throws(() => keyFileSecret(dir), /chmod 600/);
    });

  it('is refused when it is empty, and no new key is made', () => {
    writeFileSync(file(), '', { mode: 0o600 });
    assert.throws(() => keyFileSecret(dir), /backup/);
  });

  it('is refused when a part of the key is missing', () => {
    writeFileSync(file(), `${'k'.repeat(31)}\n`, { mode: 0o600 });
    assert.throws(() => keyFileSecret(dir), /backup/);
    writeFileSync(file(), `${'k'.repeat(32)}\n`);
    assert.equal(keyFileSecret(dir), 'k'.repeat(32));
  });

  it('is created completely even if an earlier start left a half-written file', () => {
    writeFileSync(`${file()}.${process.pid}`, 'h'.repeat(100), { mode: 0o600 });
    assert.match(keyFileSecret(dir), /^[\w-]{43}$/);
    assert.deepEqual(readdirSync(dir), ['encryption.key']);
  });

  it('is that of another process if both create it at the same moment', () => {
    const theirs = 't'.repeat(43);
    withFs('existsSync', () => {
      writeFileSync(file(), theirs, { mode: 0o600 });
      return false;
    });
    assert.equal(keyFileSecret(dir), theirs);
    assert.deepEqual(readdirSync(dir), ['encryption.key']);
  });

  it('is not created, and leaves no other file, when the file system refuses a link', () => {
    withFs('linkSync', () => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    });
    assert.throws(() => keyFileSecret(dir), { code: 'EPERM' });
    assert.deepEqual(readdirSync(dir), []);
  });

  /** Replaces a function of Node until the end of the test. */
  function withFs(name: 'existsSync' | 'linkSync', does: () => unknown): void {
    mock.method(fs, name, does);
    syncBuiltinESMExports();
  }
});
