import { hashKey, type QueryKey } from '@tanstack/react-query';

/**
 * Keeps what a query has shown until the next answer comes, as long as its key begins with these parts, which name the
 * thing that is shown. What belongs to another thing would stand under the wrong title.
 */
export const keepWithin =
  (thing: QueryKey) =>
  <Data>(data: Data | undefined, query: { readonly queryKey: QueryKey } | undefined) =>
    query && hashKey(query.queryKey.slice(0, thing.length)) === hashKey(thing) ? data : undefined;
