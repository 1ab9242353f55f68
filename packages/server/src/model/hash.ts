/** These are hashes of contents. JSON is hashed with sorted keys, so that the order of fields does not matter. */
import { createHash } from 'node:crypto';

export const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex');

/** Returns a digest of 43 characters. */
export const sha256Url = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');

/** Values with the same JSON have the same digest of 43 characters; the order of keys matters. */
export const digestOf = (value: unknown): string => sha256Url(JSON.stringify(value));

/** Returns JSON with the keys of every object sorted. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'null';

/**
 * Returns a 32-bit hash of the UTF-16 code units. This function must not change, because the file of the embedding
 * model and the stored terms of chunks depend on it.
 */
export function fnv1a(word: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < word.length; i++) {
    hash ^= word.charCodeAt(i);
    hash = Math.imul(hash, 16_777_619);
  }
  return hash >>> 0;
}
