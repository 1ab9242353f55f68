/**
 * These are hashes of contents. JSON is hashed with its keys in order, so that the order of fields never
 * matters.
 */
import { createHash } from 'node:crypto';

export const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex');

/** Returns JSON with the keys of every object in order. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'null';

/**
 * Returns a hash of 32 bits over UTF-16 code units. It must not change: the formats of the model and of the
 * terms of chunks depend on it.
 */
export function fnv1a(word: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < word.length; i++) {
    hash ^= word.charCodeAt(i);
    hash = Math.imul(hash, 16_777_619);
  }
  return hash >>> 0;
}
