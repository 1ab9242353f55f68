/** A long list, of which the pages that somebody has looked at are known. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  /** It counts all items, also those that are not read yet; null when only the service could count them. */
  readonly total: number | null;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  /** So many tries in a row have failed, the last one for this reason, and it is asked again by itself. */
  readonly failureCount: number;
  readonly failureReason: unknown;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly readMore: () => void;
}
