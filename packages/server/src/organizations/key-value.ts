/**
 * The value of an API key is `quarry_` and 256 random bits in base64url. The database holds only its SHA-256, so
 * the value can be shown when it is made and never again.
 */
import { randomBytes } from 'node:crypto';
import { sha256 } from '../model/hash.ts';

export function makeKey(): { key: string; hash: string } {
  const key = `quarry_${randomBytes(32).toString('base64url')}`;
  return { key, hash: sha256(key) };
}
