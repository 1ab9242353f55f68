/** The view of the account on a site of Confluence: spaces, contents, comments and files, by pages and by search. */
import type { AtlassianUser } from './atlassian-people.ts';
import { readCql } from './confluence-cql.ts';
import {
  type ConfluenceEntry,
  type ConfluenceRow,
  type ConfluenceSettings,
  inOrder,
  type makeConfluencePager,
  notFound,
  refuse,
} from './confluence-paging.ts';
import type {
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceSpace,
} from './confluence-records.ts';
import { BASE, type ConfluenceItem, makeConfluenceShapes } from './confluence-shapes.ts';
import type { ConfluenceWorld } from './confluence-world.ts';

export interface ConfluenceParts {
  /** The account that asks. It is undefined for somebody who has not signed in. */
  readonly me: AtlassianUser | undefined;
  readonly world: ConfluenceWorld;
  readonly settings: ConfluenceSettings;
  readonly pager: ReturnType<typeof makeConfluencePager>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** People who have not signed in see the times of the site. */
const SITE_ZONE = 'Europe/Berlin';

export function makeConfluenceView({ me, world, settings, pager, now }: ConfluenceParts) {
  const show = makeConfluenceShapes(world, settings);
  const sees = (content: ConfluenceContent) => world.canSee(me, content);

  /** The listing is the whole address but for the cursor. The next page has the cursor in front. */
  function listed(url: URL, given: ConfluenceRow, entries: readonly ConfluenceEntry[]) {
    const others = [...url.searchParams].filter(([name]) => name !== 'cursor');
    const query = new URLSearchParams(others).toString();
    const { results, next } = pager.page(`${url.pathname}?${query}`, given, entries);
    const link = next && `${url.pathname}?cursor=${next}${query && `&${query}`}`;
    return { results, _links: { ...(link && { next: link }), base: BASE } };
  }

  function spaceAt(id: string): ConfluenceSpace {
    const space = world.spaces.get(id);
    if (!space || !world.canRead(me, space)) return notFound('The space');
    if (settings.forbidden.has(id)) refuse(403, 'FORBIDDEN', 'The space may not be read');
    return space;
  }
  /** A page in the trash is found, and says that it is there. */
  function contentAt(id: string, kind?: ConfluenceContent['kind']): ConfluenceContent {
    const content = world.contents.get(id);
    if (!content || !sees(content) || (kind && content.kind !== kind))
      return notFound('The content');
    return content;
  }
  const listOfContents = (
    kind: ConfluenceContent['kind'],
    given: ConfluenceRow,
    spaceId?: string,
  ) => {
    const space = spaceId === undefined ? undefined : spaceAt(spaceId);
    const only: string[] = given['space-id'] ?? [];
    if (only.some((id) => settings.forbidden.has(id)))
      refuse(403, 'FORBIDDEN', 'The space may not be read');
    const statuses = given.status ?? (kind === 'page' ? ['current', 'archived'] : ['current']);
    const found = [...world.contents.values()].filter(
      (one) =>
        one.kind === kind &&
        sees(one) &&
        statuses.includes(one.status) &&
        (!space || one.space === space) &&
        (only.length === 0 || only.includes(one.space.id)) &&
        (!given.id || given.id.includes(one.id)) &&
        (given.title === undefined || one.title === given.title) &&
        (given.depth !== 'root' || one.parent === null),
    );
    return inOrder(found, given.sort ?? 'id', (one) => show.content(one, given['body-format']));
  };
  const comments = (
    kind: ConfluenceComment['kind'],
    given: ConfluenceRow,
    holds: (one: ConfluenceComment) => boolean,
  ) => {
    const resolution = given['resolution-status'];
    const found = [...world.comments.values()].filter(
      (one) =>
        one.kind === kind &&
        one.on.status === 'current' &&
        sees(one.on) &&
        holds(one) &&
        (!resolution || resolution.includes(one.resolution)),
    );
    return inOrder(found, given.sort ?? 'created-date', (one) =>
      show.comment(one, given['body-format']),
    );
  };
  function commentAt(id: string, kind: ConfluenceComment['kind']): ConfluenceComment {
    const comment = world.comments.get(id);
    return comment?.kind === kind && sees(comment.on) ? comment : notFound('The comment');
  }
  const files = (given: ConfluenceRow, on?: ConfluenceContent) => {
    const statuses = given.status ?? ['current'];
    const found = [...world.attachments.values()].filter(
      (one) =>
        sees(one.on) &&
        one.on.status !== 'trashed' &&
        statuses.includes(one.status) &&
        (!on || one.on === on) &&
        (given.filename === undefined || one.name === given.filename),
    );
    return inOrder(found, given.sort ?? 'id', show.attachment);
  };
  const attachmentAt = (id: string) => {
    const file = world.attachments.get(id.startsWith('att') ? id : `att${id}`);
    return file && sees(file.on) ? file : notFound('The attachment');
  };

  /** Finds contents, or results that have contents in them. */
  function search(url: URL, given: ConfluenceRow, what: 'found' | 'contentFound' = 'found') {
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
  }
  /** The first version has pages by the number of their first item. */
  function numbered<T>(
    all: readonly T[],
    { start = 0, limit = 25 }: ConfluenceRow,
    shown: (one: T) => unknown,
  ) {
    const results = all
      .slice(Number(start))
      .slice(0, Math.min(Number(limit), settings.largestPage));
    return {
      results: results.map(shown),
      start: Number(start),
      limit: Number(limit),
      size: results.length,
      _links: {},
    };
  }
  const userAt = (accountId: string) =>
    world.users.find((one) => one.accountId === accountId) ?? notFound('The user');

  return {
    show,
    me,
    listed,
    spaceAt,
    contentAt,
    listOfContents,
    comments,
    commentAt,
    files,
    attachmentAt,
    search,
    numbered,
    userAt,
  };
}
