/** Answers searches of a site of Confluence, page by page. */
import { readCql } from './confluence-cql.ts';
import type { ConfluenceRow } from './confluence-paging.ts';
import type { ConfluenceItem } from './confluence-records.ts';
import { BASE } from './confluence-shapes.ts';
import type { ConfluenceParts, ConfluenceView } from './confluence-view.ts';

/** People who have not signed in see the times of the site. */
const SITE_ZONE = 'Europe/Berlin';

export function makeConfluenceSearch(
  { me, world, settings, pager, now }: ConfluenceParts,
  { show, sees }: ConfluenceView,
) {
  /** Finds contents, or results that have contents in them. */
  return function search(url: URL, given: ConfluenceRow, what: 'found' | 'contentFound' = 'found') {
    const { cql, includeArchivedSpaces = 'false', expand = [], limit = 25 } = given;
    const query = readCql(cql, { timeZone: me?.timeZone ?? SITE_ZONE, now: now() });
    const contentOf = (one: ConfluenceItem) => ('space' in one ? one : one.on);
    const all = [
      ...world.contents.values(),
      ...world.comments.values(),
      ...world.attachments.values(),
    ];
    const found = all.filter((one) => {
      const content = contentOf(one);
      return (
        !settings.unindexed.has(one.id) &&
        content.status === 'current' &&
        (content.space.status === 'current' || includeArchivedSpaces === 'true') &&
        sees(content) &&
        query.holds(one)
      );
    });
    const entries = found
      .map((one) => ({
        place: [query.placeOf(one), one.id] as const,
        shown: () => show[what](one, expand),
      }))
      .toSorted((a, b) => a.place[0] - b.place[0] || (a.place[1] < b.place[1] ? -1 : 1));
    const { results, next, start } = pager.page(
      `${what} ${cql} ${includeArchivedSpaces}`,
      given,
      entries,
    );
    const others = [...url.searchParams].filter(
      ([name]) => !['cursor', 'next', 'start'].includes(name),
    );
    const path = what === 'found' ? '/rest/api/search' : '/rest/api/content/search';
    const link = `${path}?next=true&cursor=${next}&start=${start + results.length}&${new URLSearchParams(others)}`;
    return {
      results,
      start,
      limit: Number(limit),
      size: results.length,
      ...(what === 'found' && {
        totalSize: entries.length,
        cqlQuery: cql,
        searchDuration: 7,
      }),
      _links: {
        base: BASE,
        context: '/wiki',
        self: `${BASE}${path}`,
        ...(next && { next: link }),
      },
    };
  };
}
