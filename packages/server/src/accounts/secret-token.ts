/**
 * A token of a link or a cookie is 256 random bits in base64url. The database holds only its SHA-256, so a stolen copy
 * of the database opens nothing, and the time of a look-up reveals nothing about a token.
 */
import { randomBytes } from 'node:crypto';
import { sha256 } from '../model/hash.ts';

export function makeToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: sha256(token) };
}
