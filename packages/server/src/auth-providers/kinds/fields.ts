/** The kinds share these schemas, and what they read from answers. */
import { z } from 'zod';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import { passing } from '../faults.ts';
import type { GivenCredentials, ProviderRef } from '../kind.ts';

/** A key is sent in a header, so it has only visible characters of ASCII. */
export const Key = z
  .string()
  .max(4096)
  .regex(/^[\x21-\x7e]+$/, 'has characters that cannot be sent in a header');

/** This is the name of something at the provider. It is sent in headers and in paths, which `.` and `..` would change. */
export const PlaceName = z
  .string()
  .max(255)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'is not a name at a provider')
  .refine((name) => name !== '.' && name !== '..', 'is not a name at a provider');

const MAX_LIFE_MS = 10 * 365 * 86_400_000;

/**
 * Returns the milliseconds until the credentials end. The end is compared with the header `Date` of the same answer,
 * because both come from the clock of the provider. Throws an AuthProviderError 'transient' for credentials that have
 * ended, which the provider has not renewed yet.
 */
export function lifeOf(
  ref: ProviderRef,
  expiresAt: string | null | undefined,
  headers: ResponseHeaders,
): number | null {
  const end = Date.parse(expiresAt ?? '');
  if (Number.isNaN(end)) return null;
  const date = Date.parse(headers.get('date') ?? '');
  const lifeMs = end - (Number.isNaN(date) ? Date.now() : date);
  if (lifeMs <= 0)
    throw passing(ref, `gave credentials that ended at ${new Date(end).toISOString()}`);
  return Math.min(lifeMs, MAX_LIFE_MS);
}

/** Returns the first of the named fields that is a text. */
export function firstText(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

export const given = (
  found: Partial<GivenCredentials> & Pick<GivenCredentials, 'fields'>,
): GivenCredentials => ({ accessToken: null, key: null, lifeMs: null, ...found });
