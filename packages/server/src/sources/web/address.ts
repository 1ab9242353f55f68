/**
 * Addresses of pages. The normalised address of a page is the id of its record, so links that differ only in a fragment,
 * a tracking parameter or the way in which they are written lead to one record.
 */
import { domainToUnicode } from 'node:url';
import { fitsAsId } from '../../model/entity-limits.ts';

/** A longer link is not read at all. */
export const MAX_LINK = 10_000;

/** Programs for advertising and newsletters add these parameters; sites do not answer differently because of them. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|_ga|_gl|vero_id|oly_anon_id|oly_enc_id|wickedid|phpsessid|sessionid)$/i;
const SESSION_IN_PATH = /;jsessionid=[^/;?]*/gi;
/** RFC 3986, section 2.3, says that these characters mean the same with and without an escape. */
const UNRESERVED = /[A-Za-z0-9._~-]/;

/** Returns the normalised address, or null for a link that does not lead to a page over HTTP. */
export function addressOf(link: string, base?: string): string | null {
  if (link.length > MAX_LINK) return null;
  const url = URL.parse(link, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  url.pathname = normalEscapes(url.pathname.replaceAll(SESSION_IN_PATH, ''));
  url.search = url.search.slice(1).split('&').filter(isKept).map(normalEscapes).join('&');
  return url.href;
}

const isKept = (part: string): boolean =>
  part !== '' && !TRACKING.test(part.split('=', 1)[0] ?? '');

/** Escapes are written in one way, and only where they are needed (RFC 3986, section 6.2.2). */
export const normalEscapes = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (whole, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : whole.toUpperCase();
  });

/** The name of a host in the script in which people write it. */
export const shownHost = (host: string): string => domainToUnicode(host) || host;

export interface Scope {
  /** Pages at these hosts are read; a host has its port when that is not the usual one. */
  readonly hosts: readonly string[];
  /** Returns true when a page at this address may be visited. */
  allows(address: string): boolean;
  /** Returns true when a visited page at this address becomes a record. */
  takes(address: string): boolean;
}

export interface ScopeConfig {
  readonly start_urls: readonly string[];
  readonly hosts?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

export function scopeOf({ start_urls, hosts = [], include, exclude = [] }: ScopeConfig): Scope {
  const starts = new Set(start_urls.map((start) => addressOf(start)));
  const named = hosts.map((host) => new URL(`https://${host}`).host);
  const all = new Set([...[...starts].map((start) => new URL(start ?? '').host), ...named]);
  const wanted = include?.map(matcherOf);
  const unwanted = exclude.map(matcherOf);
  const takes = (address: string): boolean => {
    const { host, pathname, search } = new URL(address);
    const path = pathname + search;
    if (!all.has(host) || !fitsAsId(address)) return false;
    if (unwanted.some((matches) => matches(path))) return false;
    return !wanted || wanted.some((matches) => matches(path));
  };
  return {
    hosts: [...all],
    takes,
    // A start address is visited for its links, even where the patterns leave it out.
    allows: (address) => starts.has(address) || takes(address),
  };
}

/**
 * Returns a function that matches paths as robots.txt does (RFC 9309, section 2.2.3): a pattern is a beginning, `*`
 * stands for any text, and `$` at the end for the end of the path. It works in one pass, without a regular expression.
 */
export function matcherOf(pattern: string): (path: string) => boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const last = isWhole ? rest.pop() : undefined;
  return (path) => {
    if (isWhole && last === undefined) return path === first;
    if (!path.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = path.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return last === undefined || (path.length - last.length >= at && path.endsWith(last));
  };
}
