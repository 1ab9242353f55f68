/**
 * Where deliveries may go: HTTPS at a public address. What a URL itself says is judged here, when it is
 * given and again before each attempt, because the operator may have changed his mind; to which address a
 * name leads is judged where the connection is made (net/guarded-send.ts).
 */
import ipaddr from 'ipaddr.js';
import { isPublic } from '../sources/surroundings.ts';

/** Why nothing is sent there, as a sentence that can be shown; undefined when it is. */
export function refusalOf(text: string, allowLoopback: boolean): string | undefined {
  // Odd notations of addresses (2130706433, 0x7f.1, ①②⑦.⓪.⓪.①) are plain ones after this.
  const url = URL.parse(text);
  if (!url) return 'this is no URL';
  if (url.username || url.password) return 'leave user and password out of the URL';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : undefined;
  const isHere = address?.range() === 'loopback' || host === 'localhost';
  if (isHere && allowLoopback && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== 'https:') return 'use an https URL';
  if (address && !isPublic(address)) return 'the URL must lead to a public address';
  return undefined;
}
