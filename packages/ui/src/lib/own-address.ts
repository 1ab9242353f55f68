/** Returns the address within the dashboard, or `otherwise` for one that leads to another site. */
export function ownAddress(
  given: string | undefined,
  { origin, otherwise }: { readonly origin: string; readonly otherwise: string },
): string {
  if (!given?.startsWith('/') || !URL.canParse(given, origin)) return otherwise;
  const url = new URL(given, origin);
  // The path /.//evil.example becomes //evil.example, which is another site.
  const isOwn = url.origin === origin && !url.pathname.startsWith('//');
  return isOwn ? url.pathname + url.search + url.hash : otherwise;
}
