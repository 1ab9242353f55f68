/** Answers what an administrator of a company may read in Google's directory: people, groups and their members. */
import { randomUUID } from 'node:crypto';
import { must } from '../../util.ts';

export interface PeerGroup {
  readonly email: string;
  readonly members: readonly { readonly type: string; readonly email?: string }[];
}

interface GooglePage {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}
type GoogleListing = (url: URL, begin: () => string[], most: number) => GooglePage | undefined;

/** A listing holds what existed when it began. A page has at most `largestPage()` entries. */
export function makeGoogleListings(largestPage: () => number) {
  const listings = new Map<string, { ids: string[]; from: number }>();
  return {
    /** Returns undefined for a page token that the service has not given out. */
    page(url: URL, begin: () => string[], most: number): GooglePage | undefined {
      const token = url.searchParams.get('pageToken');
      const listing = token === null ? { ids: begin(), from: 0 } : listings.get(token);
      if (!listing) return undefined;
      const asked = Number(
        url.searchParams.get('pageSize') ?? url.searchParams.get('maxResults') ?? most,
      );
      const to = listing.from + Math.min(asked, largestPage());
      const next = to < listing.ids.length ? `~${randomUUID()}` : undefined;
      if (next) listings.set(next, { ids: listing.ids, from: to });
      return { ids: listing.ids.slice(listing.from, to), next };
    },
    forget: () => listings.clear(),
  };
}

/** Returns undefined for a page token that the service has not given out. */
export function answerOfDirectory(
  url: URL,
  { people, groups }: { people: readonly string[]; groups: readonly PeerGroup[] },
  page: GoogleListing,
): object | undefined {
  const [, key] = /\/groups\/([^/]+)\/members$/.exec(url.pathname) ?? [];
  const all: readonly object[] =
    key === undefined
      ? url.pathname.endsWith('/users')
        ? people.map((primaryEmail) => ({ primaryEmail }))
        : groups.map(({ email }) => ({ email }))
      : must(groups.find(({ email }) => email === decodeURIComponent(key))).members;
  const name = key === undefined ? must(url.pathname.split('/').at(-1)) : 'members';
  const found = page(url, () => all.map((_, index) => String(index)), 100);
  return (
    found && {
      kind: `admin#directory#${name}`,
      [name]: found.ids.map((index) => all[Number(index)]),
      nextPageToken: found.next,
    }
  );
}
