/** Lists on the fake of GitHub: pages that have a link to the next one, and changes since a time. */
import { json, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import type { GitHubSettings } from './github-settings.ts';

const PAGE_SIZE = 30;

export function makeGitHubPaging(settings: GitHubSettings) {
  function page(
    request: PeerRequest,
    all: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
  ): PeerAnswer {
    const { url } = request;
    const size = Math.min(
      settings.pageLimit,
      Number(url.searchParams.get('per_page') ?? PAGE_SIZE),
    );
    const number = Number(url.searchParams.get('page') ?? 1);
    const isEmpty = settings.emptyPages && number % 2 === 1;
    const place = settings.emptyPages ? Math.ceil(number / 2) : number;
    const end = isEmpty ? (place - 1) * size : place * size;
    const items = isEmpty ? [] : all.slice(end - size, end);
    const next = new URL(url);
    next.searchParams.set('page', `${number + 1}`);
    const link = { link: `<${next}>; rel="next", <${url}>; rel="last"` };
    return json(200, items, { ...(end < all.length && link), ...headers });
  }

  function changesIn<T extends { readonly updatedAt: string }>(
    request: PeerRequest,
    all: readonly T[],
  ): T[] {
    const found = changed(request, all);
    const since = request.url.searchParams.get('since');
    return settings.isAfterSince ? found.filter(({ updatedAt }) => updatedAt !== since) : found;
  }

  return { page, changesIn };
}

/** GitHub sorts by creation unless the request has `sort`. Items of the second that `since` names are included. */
function changed<T extends { readonly updatedAt: string }>(
  { url }: PeerRequest,
  all: readonly T[],
): T[] {
  const since = url.searchParams.get('since') ?? '';
  const newer = all.filter(({ updatedAt }) => updatedAt >= since);
  if (url.searchParams.get('sort') !== 'updated') return newer;
  const ascending = newer.toSorted((a, b) =>
    a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0,
  );
  return url.searchParams.get('direction') === 'asc' ? ascending : ascending.toReversed();
}
