/** Lists the ways in which a person signs in to a source, the one that hurts least first. */
import type { SourceType } from '../../sources/schema.ts';

export const WAYS = ['key', 'service-account', 'browser'] as const;
export type SignInWay = (typeof WAYS)[number];

/** Describes each way for a person who has to choose. */
export const WAY_TITLES: Readonly<Record<SignInWay, string>> = {
  key: 'with a key or a password',
  'service-account': 'with a service account, by its key file',
  browser: 'in a browser, as yourself',
};

/** The list is empty for a source that needs no sign-in. A key that is a file belongs to a service account. */
export function waysOf({ auth_fields, auth_methods }: SourceType): SignInWay[] {
  const direct: SignInWay[] = auth_fields
    ? [auth_fields.fields.some(({ file }) => file) ? 'service-account' : 'key']
    : [];
  return [...direct, ...(auth_methods.includes('oauth_browser') ? (['browser'] as const) : [])];
}

/** Tells whether the person gives credentials to Quarry. */
export const isDirect = (way: SignInWay | null): boolean =>
  way === 'key' || way === 'service-account';
