/**
 * Columns whose names say that they hold secrets are never read, because everybody who may search would find the
 * secrets. A boolean, a number or a time is not a secret (`tokens_used`, `password_changed_at`). A query can read such
 * a column under another name (`AS`).
 */
import type { ValueKind } from './kinds.ts';

const WORDS: ReadonlySet<string> = new Set([
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'secret',
  'secrets',
  'token',
  'tokens',
  'credential',
  'credentials',
  'salt',
  'otp',
  'totp',
  'cvv',
  'cvc',
]);
/** This matches names without separators between their words, and words that mean a secret only together. */
const TOGETHER =
  /passw(or)?d|(api|private|secret|access|signing|encryption|session)_?keys?|(access|auth|refresh|session|reset|bearer)token|(recovery|backup)_codes?/;

export function isSecret(name: string, kind: ValueKind): boolean {
  if (kind.is === 'number' || kind.is === 'flag' || kind.is === 'moment') return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => WORDS.has(word)) || TOGETHER.test(words.join('_'));
}
