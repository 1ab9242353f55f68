/**
 * The value of an API key is `quarry_` and 256 random bits in base64url. The database holds only the SHA-256 of the
 * value, so the value can be shown only once, when it is made.
 */
import { randomBytes } from 'node:crypto';
import { sha256 } from '../model/hash.ts';

export function makeKey(): { key: string; hash: string } {
  const key = `quarry_${randomBytes(32).toString('base64url')}`;
  return { key, hash: sha256(key) };
}
