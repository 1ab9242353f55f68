/** A long list, of which the pages that somebody has looked at are known. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  /** It counts all items, also those that are not read yet; null when only the service could count them. */
  readonly total: number | null;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  /** It counts the tries that have failed in a row, the last one for `failureReason`. Another one follows by itself. */
  readonly failureCount: number;
  readonly failureReason: unknown;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly readMore: () => void;
}
