/** An address within the dashboard, to which a sign-in leads back. Anybody may have written it. */

/** The address travels in a cookie, whose size browsers limit. */
const MOST = 2000;

/** Returns the path with its query and fragment, or null for an address that may lead to another site. */
export function ownPath(given: string | undefined, origin: string): string | null {
  if (!given?.startsWith('/') || given.length > MOST) return null;
  // Parsers of addresses leave some of these characters out, so that /⇥/evil.example means //evil.example.
  if (/[\p{Cc}\\]/u.test(given) || !URL.canParse(given, origin)) return null;
  const url = new URL(given, origin);
  const path = url.pathname + url.search + url.hash;
  // The path /.//evil.example becomes //evil.example, which is another site for whoever reads it next.
  return url.origin === origin && !path.startsWith('//') && path.length <= MOST ? path : null;
}
