/** Reads long lists page by page, as far as somebody looks. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Pages } from '../lib/pages.ts';
import { OFTEN_MS } from './queries.ts';

const PAGE = 100;
/** A list of which more is shown is asked for less often, because all of its pages are asked again. */
const FEW_PAGES = 2;

interface SkippedPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Reads a list that takes `skip` and `limit`. When `isLive`, it is read again as often as jobs change things. */
export function usePages<Item>(
  key: readonly unknown[],
  read: (
    query: { readonly skip: number; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<SkippedPage<Item>>,
  { isLive = false }: { readonly isLive?: boolean } = {},
): Pages<Item> {
  const list = useInfiniteQuery({
    queryKey: [...key, 'pages'],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => read({ skip: pageParam, limit: PAGE }, signal),
    getNextPageParam: ({ items, total }, pages) => {
      const known = pages.reduce((sum, page) => sum + page.items.length, 0);
      return known < total && items.length > 0 ? known : null;
    },
    // Only a setting of the page changes the key here, because another thing has a page of its own.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (!isLive) return false;
      return (state.data?.pages.length ?? 0) > FEW_PAGES ? OFTEN_MS * 6 : OFTEN_MS;
    },
  });
  return pagesOf(list, list.data?.pages.at(-1)?.total ?? null);
}

interface ReadSoFar<Item> {
  readonly data: { readonly pages: readonly { readonly items: readonly Item[] }[] } | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly failureCount: number;
  readonly failureReason: unknown;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly refetch: () => unknown;
  readonly fetchNextPage: () => unknown;
}

/** Returns the pages of a list that is read in its own way. */
export const pagesOf = <Item>(list: ReadSoFar<Item>, total: number | null): Pages<Item> => ({
  items: list.data?.pages.flatMap(({ items }) => items) ?? [],
  total,
  isPending: list.isPending,
  error: list.error,
  failureCount: list.failureCount,
  failureReason: list.failureReason,
  retry: () => void list.refetch(),
  hasMore: list.hasNextPage,
  isReadingMore: list.isFetchingNextPage,
  readMore: () => void list.fetchNextPage(),
});
