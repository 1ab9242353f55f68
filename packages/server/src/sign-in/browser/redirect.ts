/** The browser of a person who has signed in goes back to the address that the caller gave, with the outcome. */
import { z } from 'zod';

export const RedirectUri = z
  .url({ protocol: /^https?$/, error: 'use a URL that begins with https:// or http://' })
  .max(2000)
  .refine((text) => {
    const url = URL.parse(text);
    return !url?.username && !url?.password;
  }, 'leave the user name and the password out of the URL');

export type SignInOutcome =
  | { readonly status: 'success'; readonly source_connection_id: string }
  | { readonly status: 'error'; readonly error: string; readonly error_description: string };

/** The query and the fragment of the caller are kept as they are. */
export function withOutcome(redirectUri: string, outcome: SignInOutcome): string {
  const { href } = new URL(redirectUri);
  const end = href.indexOf('#');
  const address = end < 0 ? href : href.slice(0, end);
  const fragment = end < 0 ? '' : href.slice(end);
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${separator}${new URLSearchParams(outcome)}${fragment}`;
}
