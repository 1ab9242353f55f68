/**
 * Turns the credentials that an auth provider gives into what the source signs with. An access token signs the requests of
 * a source that signs in by OAuth. Otherwise the names of the fields decide, or the only secret becomes the only secret
 * field of the source.
 */

import { misconfigured } from '../auth-providers/faults.ts';
import type { GivenCredentials, ProviderRef } from '../auth-providers/kind.ts';
import type { Source } from '../sources/define.ts';
import { secretFields } from '../sources/describe.ts';
import { isSendable } from './token-endpoint.ts';

export type SignedBy =
  | { readonly accessToken: string }
  /** These are valid direct credentials of the source. */
  | { readonly credentials: Readonly<Record<string, unknown>> };

/** Throws an AuthProviderError 'config' when the source cannot use what the provider gave. */
export function signedBy(source: Source, given: GivenCredentials, ref: ProviderRef): SignedBy {
  const { accessToken, key, fields } = given;
  const { direct, oauth } = source.auth;
  const secret = accessToken ?? key;
  if (secret !== null && !isSendable(secret))
    throw misconfigured(ref, 'gave a token with characters that cannot be sent');
  if (oauth && accessToken !== null) return { accessToken };
  if (direct) {
    const byName = direct.fields.safeParse(fields);
    if (byName.success) return { credentials: byName.data as Record<string, unknown> };
    const [field, ...more] = secretFields(source);
    if (secret !== null && field !== undefined && more.length === 0) {
      const bySecret = direct.fields.safeParse({ ...fields, [field]: secret });
      if (bySecret.success) return { credentials: bySecret.data as Record<string, unknown> };
    }
  }
  const gave = Object.keys(fields).join(', ') || 'nothing';
  const takes = direct ? Object.keys(direct.fields.shape).join(', ') : 'an OAuth access token';
  throw misconfigured(ref, `gave ${gave}, and ${source.name} takes ${takes}`);
}
