/**
 * Deliveries may go only to HTTPS at a public address. This file checks the URL, when a user gives it and again before
 * each attempt, because the operator may have changed the settings. net/guarded-send.ts checks the address to which a
 * host name resolves, because that address is known only when the connection is made.
 */
import { isLoopback, isPrivateAddress } from '../net/addresses.ts';

/** Returns a sentence for users that says why nothing is sent to the URL, or undefined when the URL is allowed. */
export function refusalOf(text: string, allowLoopback: boolean): string | undefined {
  // The URL parser normalizes unusual notations of addresses (2130706433, 0x7f.1, ①②⑦.⓪.⓪.①).
  const url = URL.parse(text);
  if (!url) return 'this is not a URL';
  if (url.username || url.password) return 'leave user and password out of the URL';
  if (allowLoopback && isLoopback(url.hostname) && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== 'https:') return 'use an https URL';
  if (isPrivateAddress(url.hostname)) return 'the URL must lead to a public address';
  return undefined;
}
