/** Settings of the fake of Notion: what its integration may do, and limits of its listings. */
import { MOST } from './notion-paging.ts';

export type NotionSettings = ReturnType<typeof usualNotionSettings>;

export const usualNotionSettings = () => ({
  /** A page of a listing has at most this many items, even when a request asks for more. */
  largestPage: MOST,
  /** A query shows at most this many rows. Notion tells it in `request_status` of the last page. */
  queryLimit: 10_000,
  /** Search does not show the objects with these ids yet. */
  unindexed: new Set<string>(),
  /** The integration gets 403 for these objects and everything below them. */
  forbidden: new Set<string>(),
  /** This is a capability of the integration. Without 'emails', users have no e-mail address. */
  users: 'emails' as 'emails' | 'names' | 'none',
  /** This is a capability of the integration, too. */
  readsComments: true,
  /** The store of files also answers requests that carry a token besides the signature in the address. */
  storeTakesToken: false,
});
