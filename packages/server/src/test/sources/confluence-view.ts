/** The view of the account on a site of Confluence: spaces, contents, comments and files, by pages. */
import type { AtlassianUser } from './atlassian-people.ts';
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
import { BASE, makeConfluenceShapes } from './confluence-shapes.ts';
import { makeConfluenceV1Shapes } from './confluence-v1-shapes.ts';
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

export type ConfluenceView = ReturnType<typeof makeConfluenceView>;

export function makeConfluenceView({ me, world, settings, pager }: ConfluenceParts) {
  const show = { ...makeConfluenceShapes(world), ...makeConfluenceV1Shapes(world, settings) };
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
    sees,
    me,
    listed,
    spaceAt,
    contentAt,
    listOfContents,
    comments,
    commentAt,
    files,
    attachmentAt,
    numbered,
    userAt,
  };
}
