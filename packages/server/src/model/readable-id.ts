/**
 * A readable_id names a collection or an auth provider in addresses: lower-case letters and digits in groups joined by
 * single hyphens, at most 64 characters.
 */
import { randomInt } from 'node:crypto';

export const READABLE_ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const MAX_READABLE_ID = 64;

const SUFFIX = 6;
const DIGITS = 36;

/**
 * Makes an id of a slug of the name, a hyphen, and six random characters of [a-z0-9]. `fallback` stands for a name that
 * has no such characters.
 */
export function generateReadableId(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_READABLE_ID - SUFFIX - 1)
    .replace(/-$/, '');
  const suffix = randomInt(DIGITS ** SUFFIX)
    .toString(DIGITS)
    .padStart(SUFFIX, '0');
  return `${slug || fallback}-${suffix}`;
}
