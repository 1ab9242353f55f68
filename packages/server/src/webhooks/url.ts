/**
 * Deliveries may go only to HTTPS at a public address. This file judges the URL itself, when a user gives it and
 * again before each attempt, because the operator may have changed the settings. The address to which a name
 * resolves is judged where the connection is made (net/guarded-send.ts).
 */
import { isLoopback, isPrivateAddress } from '../net/addresses.ts';

/**
 * Returns the reason why nothing is sent to the URL, as a sentence that can be shown,
 * or undefined when the URL is allowed.
 */
export function refusalOf(text: string, allowLoopback: boolean): string | undefined {
  // The parser turns odd notations of addresses (2130706433, 0x7f.1, ①②⑦.⓪.⓪.①) into plain ones.
  const url = URL.parse(text);
  if (!url) return 'this is not a URL';
  if (url.username || url.password) return 'leave user and password out of the URL';
  if (allowLoopback && isLoopback(url.hostname) && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== 'https:') return 'use an https URL';
  if (isPrivateAddress(url.hostname)) return 'the URL must lead to a public address';
  return undefined;
}
