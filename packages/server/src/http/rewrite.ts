/**
 * Returns the address by which the router knows a route: `/api/v1/…` becomes `/v1/…`, and slashes at the end of the
 * path are removed. The query stays unchanged.
 */
export function canonicalUrl(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const query = end < 0 ? '' : url.slice(end);
  let short = path;
  while (short.length > 1 && short.endsWith('/')) short = short.slice(0, -1);
  if (short.startsWith('/api/v1/')) short = short.slice('/api'.length);
  return short + query;
}
