/**
 * Signing secrets have the form of Standard Webhooks: `whsec_` and the base64 of the key.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

export const makeSecret = (): string => PREFIX + randomBytes(KEY_BYTES).toString('base64');

/** Makes a secret from the text that a user has chosen. When the text is not base64, its UTF-8 bytes are the key. */
export function toSecret(text: string): string {
  const chosen = withoutPrefix(text);
  const key = Buffer.from(chosen, 'base64');
  const isBase64 = unpadded(key.toString('base64')) === unpadded(chosen);
  return PREFIX + (isBase64 ? key : Buffer.from(chosen, 'utf8')).toString('base64');
}

export const signingKeyOf = (secret: string): Buffer =>
  Buffer.from(withoutPrefix(secret), 'base64');

export const withoutPrefix = (secret: string): string =>
  secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;

const unpadded = (text: string) => text.replace(/={0,2}$/, '');
