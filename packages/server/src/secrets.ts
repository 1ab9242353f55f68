/**
 * The vault encrypts stored credentials by AES-256-GCM. Each value has a fresh nonce, and is bound to its row.
 *
 * The form of an encrypted value is `v1.<base64url of nonce (12 bytes), ciphertext, tag (16 bytes)>`; the id of the key
 * is stored beside it. The associated data is the row's id, so a ciphertext that is moved to another row cannot be
 * opened.
 *
 * While the key is rotated, the vault has two: it seals with the present key, and opens what either of them has sealed.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { SourceError } from './errors.ts';
import type { Sealed } from './model/sealed.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

export interface Vault {
  /** The id names the key that seals, and reveals nothing about it. */
  readonly keyId: string;
  /** These are the ids of the keys that open. */
  readonly keyIds: readonly string[];
  seal(plain: unknown, row: string): Sealed;
  /** Throws when no key of the vault has sealed the value for this row, or the value was changed. */
  open(sealed: Sealed | string, row: string): unknown;
}

/** The vault seals with the key of `secret`. It also opens what the key of `otherSecret` has sealed. */
export function createVault(secret: string, otherSecret?: string): Vault {
  const key = keyOf(secret);
  const keys = otherSecret === undefined ? [key] : [key, keyOf(otherSecret)];
  return {
    keyId: idOf(key),
    keyIds: keys.map(idOf),
    seal(plain, row) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG });
      cipher.setAAD(Buffer.from(row));
      const body = Buffer.concat([cipher.update(JSON.stringify(plain), 'utf8'), cipher.final()]);
      const text = `v1.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
      return text as unknown as Sealed;
    },
    open(sealed, row) {
      const failures: unknown[] = [];
      for (const each of keys) {
        try {
          return openWith(each, String(sealed), row);
        } catch (error) {
          failures.push(error);
        }
      }
      throw failures[0];
    },
  };
}

const keyOf = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'quarry credentials v1', 32));

const idOf = (key: Buffer): string =>
  createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);

function openWith(key: Buffer, sealed: string, row: string): unknown {
  if (!sealed.startsWith('v1.')) throw new Error('a sealed value of an unknown version');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), {
    // Node would accept tags as short as four bytes without this length.
    authTagLength: TAG,
  });
  decipher.setAAD(Buffer.from(row));
  decipher.setAuthTag(bytes.subarray(-TAG));
  const plain = decipher.update(bytes.subarray(NONCE, -TAG));
  return JSON.parse(Buffer.concat([plain, decipher.final()]).toString('utf8'));
}

/** Seals the value with the present key, whichever key of the vault has sealed it before. Throws as `open` does. */
export const sealAgain = (vault: Vault, sealed: Sealed, row: string): Sealed =>
  vault.seal(vault.open(sealed, row), row);

interface SealedValue {
  readonly sealed: Sealed | null;
  /** This is the id of the key that has sealed the value. */
  readonly key: string | null;
  /** The value is bound to this row or place. */
  readonly place: string;
}

/** Returns null for null. Throws a SourceError 'config' when another key has sealed the value. */
export function openSealed(vault: Vault, { sealed, key, place }: SealedValue): unknown {
  if (!sealed) return null;
  if (key === null || !vault.keyIds.includes(key))
    throw new SourceError('config', 'the credentials were sealed with another encryption key', {
      hint: 'Give every process the same QUARRY_ENCRYPTION_KEY, or set the credentials again.',
    });
  return vault.open(sealed, place);
}

/**
 * Opens the credentials of a connection; null stands for a connection without credentials. Throws a SourceError
 * 'config' when another key has sealed them.
 */
export const openCredentials = (
  vault: Vault,
  row: {
    readonly id: string;
    readonly credentials: Sealed | null;
    readonly credentials_key: string | null;
  },
): unknown =>
  openSealed(vault, { sealed: row.credentials, key: row.credentials_key, place: row.id });

const keyFileOf = (dataDir: string) => join(dataDir, 'encryption.key');

export const hasKeyFile = (dataDir: string): boolean => existsSync(keyFileOf(dataDir));

/** Returns the secret in the data directory's key file, which is made at the first start. */
export function keyFileSecret(dataDir: string): string {
  const path = keyFileOf(dataDir);
  if (!existsSync(path)) makeKeyFile(path);
  if ((statSync(path).mode & 0o077) !== 0)
    throw new Error(`${path} can be read by others: run chmod 600 on it`);
  const secret = readFileSync(path, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${path} holds no key: restore it from a backup`);
  return secret;
}

/** Gives the data directory this key, unless it has one. Returns false then. */
export function giveKeyFile(dataDir: string, secret: string): boolean {
  const path = keyFileOf(dataDir);
  if (existsSync(path)) return false;
  makeKeyFile(path, secret);
  return true;
}

/**
 * The file is made as a whole or not at all: a crash does not leave half a key. If another process makes the file
 * first, that file stays.
 */
function makeKeyFile(path: string, secret = randomBytes(32).toString('base64url')): void {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'w', 0o600);
  writeSync(file, `${secret}\n`);
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
