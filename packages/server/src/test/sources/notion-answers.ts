/** Answers the operations of Notion's API from a workspace: what it shows, to whom, in which order. */
import type { PeerRequest } from './cloud-peer.ts';
import type { NotionFileRef } from './notion-content.ts';
import {
  inOrder,
  invalid,
  type makeNotionPager,
  type NotionRow,
  refuse,
  timePlace,
} from './notion-paging.ts';
import { type NotionNode, type NotionWorld, shownTime } from './notion-world.ts';

/** A property of a page shows at most this many references. */
const MOST_REFERENCES = 25;
const UUID = /^[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}$/i;

export interface NotionSettings {
  /** A page of a listing has at most this many items, even when a request asks for more. */
  largestPage: number;
  /** A query shows at most this many rows. Notion tells it in `request_status` of the last page. */
  queryLimit: number;
  /** Search does not show the objects with these ids yet. */
  readonly unindexed: Set<string>;
  /** The integration gets 403 for these objects and everything below them. */
  readonly forbidden: Set<string>;
  /** This is a capability of the integration. Without 'emails', users have no e-mail address. */
  users: 'emails' | 'names' | 'none';
  /** This is a capability of the integration, too. */
  readsComments: boolean;
  /** The store of files also answers requests that carry a token besides the signature in the address. */
  storeTakesToken: boolean;
}

interface AnsweringParts {
  readonly world: NotionWorld;
  readonly settings: NotionSettings;
  readonly pager: ReturnType<typeof makeNotionPager>;
  /** Makes a new address of the file. */
  readonly fileOf: (id: string) => NotionFileRef;
  /** These properties show only some of their references. */
  readonly cut: WeakSet<object>;
}

/** Returns a function that takes an operation, the values of its path, and the request, and throws a NotionRefusal. */
export function makeNotionAnswers({ world, settings, pager, fileOf, cut }: AnsweringParts) {
  const { nodes, show, isVisible, isTrashed } = world;
  const { page } = pager;

  function find(given: string, kinds: readonly NotionNode['kind'][], what: string): NotionNode {
    if (!UUID.test(given))
      invalid(
        `path failed validation: path.${what}_id should be a valid uuid, instead was \`"${given}"\`.`,
      );
    const id = given
      .replaceAll('-', '')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
      .toLowerCase();
    const node = nodes.get(id);
    if (!isVisible(node) || !kinds.includes(node.kind))
      return refuse(
        404,
        'object_not_found',
        `Could not find ${what} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`,
      );
    if ([...settings.forbidden].some((one) => world.isBelow(node, one)))
      refuse(
        403,
        'restricted_resource',
        'Given the bearer token used, the client does not have permission to perform this operation.',
      );
    return node;
  }

  /** Properties of a page show at most 25 references, and a request of their own lists the others. */
  function pageOf(node: NotionNode, filter: readonly string[] = []): NotionRow {
    const shown = show.page(node, fileOf);
    const properties = Object.entries(shown.properties as NotionRow)
      .filter(
        ([name, { id }]) => filter.length === 0 || filter.includes(id) || filter.includes(name),
      )
      .map(([name, value]): [string, NotionRow] => {
        const list = value[value.type];
        if (!Array.isArray(list) || list.length <= MOST_REFERENCES) return [name, value];
        const shorter = { ...value, [value.type]: list.slice(0, MOST_REFERENCES) };
        cut.add(shorter);
        return [name, shorter];
      });
    return { ...shown, properties: Object.fromEntries(properties) };
  }

  function propertyOf(node: NotionNode, propertyId: string, request: NotionRow): NotionRow {
    const all: NotionRow[] = Object.values(show.page(node, fileOf).properties);
    const value = all.find(({ id }) => decodeURIComponent(id) === propertyId);
    if (!value)
      return refuse(404, 'object_not_found', `Could not find property with ID: ${propertyId}.`);
    const { id, type } = value;
    const items: unknown = type === 'rollup' ? value.rollup.array : value[type];
    if (
      !['title', 'rich_text', 'relation', 'people'].includes(type) &&
      !Array.isArray(value.rollup?.array)
    )
      return { object: 'property_item', ...value };
    const rows = (items as unknown[]).map((one) => ({
      object: 'property_item',
      id,
      type,
      [type]: one,
    }));
    const listed = page(`${node.id} ${id}`, request, inOrder(rows));
    return {
      ...listed,
      type: 'property_item',
      property_item: { id, type, next_url: null, [type]: {} },
    };
  }

  function search({ query = '', sort, filter, ...paging }: NotionRow): NotionRow {
    if (filter && filter.property !== 'object')
      invalid('body failed validation: body.filter.property should be `"object"`.');
    if (sort && (sort.timestamp !== 'last_edited_time' || !/^(a|de)scending$/.test(sort.direction)))
      invalid('body failed validation: body.sort.timestamp should be `"last_edited_time"`.');
    const direction = sort?.direction ?? 'descending';
    const found = [...nodes.values()].filter(
      (node) =>
        (node.kind === 'page' || node.kind === 'data_source') &&
        (!filter || filter.value === node.kind) &&
        isVisible(node) &&
        !isTrashed(node) &&
        !settings.unindexed.has(node.id) &&
        node.title.toLowerCase().includes(query.toLowerCase()),
    );
    const entries = found.map((node) => ({
      place: timePlace(node.editedAt, node.id, direction),
      shown: () => (node.kind === 'page' ? pageOf(node) : show.dataSource(node)),
    }));
    const listed = page(`search ${query} ${direction} ${filter?.value}`, paging, entries);
    return { ...listed, type: 'page_or_data_source', page_or_data_source: {} };
  }

  function queryOf(
    source: NotionNode,
    { filter, sorts = [], archived, in_trash, ...paging }: NotionRow,
    only: string[],
  ): NotionRow {
    const [sort = { timestamp: 'created_time', direction: 'ascending' }] = sorts;
    const timeOf = (node: NotionNode, timestamp: string) => {
      if (timestamp === 'created_time') return node.createdAt;
      if (timestamp === 'last_edited_time') return node.editedAt;
      throw new Error(
        `the fake of Notion sorts and filters only by times, and not by ${timestamp}`,
      );
    };
    const wantsTrash = Boolean(in_trash ?? archived);
    const found = world
      .childrenOf(source.id)
      .filter((node) => isVisible(node) && isTrashed(node) === wantsTrash && fits(filter, node));
    const entries = found.map((node) => ({
      place: timePlace(timeOf(node, sort.timestamp), node.id, sort.direction),
      shown: () => pageOf(node, only),
    }));
    const places = entries.toSorted((one, other) => (one.place < other.place ? -1 : 1));
    const isCut = places.length > settings.queryLimit;
    const listed = page(
      `query ${source.id} ${JSON.stringify([filter, sorts, wantsTrash])}`,
      paging,
      places.slice(0, settings.queryLimit),
    );
    const isIncomplete = isCut && listed.has_more === false;
    return {
      ...listed,
      type: 'page_or_data_source',
      page_or_data_source: {},
      request_status: isIncomplete
        ? { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' }
        : { type: 'complete' },
    };

    function fits(one: NotionRow | undefined, node: NotionNode): boolean {
      if (!one) return true;
      if (one.and) return one.and.every((each: NotionRow) => fits(each, node));
      if (one.or) return one.or.some((each: NotionRow) => fits(each, node));
      const at = Date.parse(shownTime(timeOf(node, one.timestamp)));
      return Object.entries(one[one.timestamp] as NotionRow).every(([how, text]) => {
        const given = Date.parse(text);
        if (Number.isNaN(given))
          invalid('body failed validation: the filter should have a valid ISO 8601 date.');
        const holds = {
          equals: at === given,
          before: at < given,
          after: at > given,
          on_or_before: at <= given,
          on_or_after: at >= given,
        }[how];
        if (holds === undefined) throw new Error(`the fake of Notion has no filter ${how}`);
        return holds;
      });
    }
  }

  function childrenOf(node: NotionNode): unknown[] {
    const shown = node.kind === 'block' ? show.block(node, fileOf) : null;
    const source =
      shown?.type === 'synced_block' ? shown.synced_block.synced_from?.block_id : undefined;
    if (node.kind !== 'page' && node.kind !== 'block') return [];
    const of = source === undefined ? node : find(source, ['block'], 'block');
    return world
      .childrenOf(of.id)
      .filter((one) => isVisible(one) && (isTrashed(node) || !isTrashed(one)))
      .map((one) => show.block(one, fileOf));
  }

  const userOf = (user: NotionRow): NotionRow => {
    if (settings.users === 'none' && user.id !== world.bot.id)
      refuse(403, 'restricted_resource', 'Insufficient permissions for this endpoint.');
    return user.type === 'person' && settings.users === 'names' ? { ...user, person: {} } : user;
  };

  function answerTo(
    operation: string,
    [first = '', second = '']: string[],
    { url, body }: PeerRequest,
  ): NotionRow {
    const query = { ...Object.fromEntries(url.searchParams), ...(body ? JSON.parse(body) : {}) };
    const only = url.searchParams.getAll('filter_properties');
    const { filter_properties: _, ...given } = query;
    const anyBlock = ['page', 'database', 'block'] as const;
    switch (operation) {
      case 'GET /v1/users/me':
        return world.bot;
      case 'GET /v1/users':
        return {
          ...page('users', given, inOrder(world.users.map(userOf))),
          type: 'user',
          user: {},
        };
      case 'GET /v1/users/{user_id}': {
        const user = world.users.find(({ id }) => id === first);
        return user
          ? userOf(user)
          : refuse(404, 'object_not_found', `Could not find user with ID: ${first}.`);
      }
      case 'POST /v1/search':
        return search(given);
      case 'GET /v1/pages/{page_id}':
        return pageOf(find(first, ['page'], 'page'), only);
      case 'GET /v1/pages/{page_id}/properties/{property_id}':
        return propertyOf(find(first, ['page'], 'page'), second, given);
      case 'GET /v1/databases/{database_id}':
        return show.database(find(first, ['database'], 'database'));
      case 'GET /v1/data_sources/{data_source_id}':
        return show.dataSource(find(first, ['data_source'], 'data_source'));
      case 'POST /v1/data_sources/{data_source_id}/query':
        return queryOf(find(first, ['data_source'], 'data_source'), given, only);
      case 'GET /v1/blocks/{block_id}':
        return show.block(find(first, anyBlock, 'block'), fileOf);
      case 'GET /v1/blocks/{block_id}/children': {
        const node = find(first, anyBlock, 'block');
        return {
          ...page(`children ${node.id}`, given, inOrder(childrenOf(node))),
          type: 'block',
          block: {},
        };
      }
      case 'GET /v1/comments': {
        if (!settings.readsComments)
          refuse(403, 'restricted_resource', 'Insufficient permissions for this endpoint.');
        const { id } = find(given.block_id, anyBlock, 'block');
        const rows = [...world.comments.values()].filter(({ on }) => on === id);
        const listed = page(`comments ${id}`, given, inOrder(rows.map(show.comment)));
        return { ...listed, type: 'comment', comment: {} };
      }
      default:
        throw new Error(`the fake of Notion does not serve ${operation}`);
    }
  }

  return answerTo;
}
