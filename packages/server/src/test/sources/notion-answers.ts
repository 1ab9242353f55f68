/** Answers the operations of Notion's API from a workspace: what it shows, and to whom. */
import type { PeerRequest } from './cloud-peer.ts';
import { makeNotionPages, type NotionParts } from './notion-pages.ts';
import { inOrder, invalid, type NotionRow, refuse } from './notion-paging.ts';
import { makeNotionQueries } from './notion-queries.ts';
import type { NotionNode } from './notion-world.ts';

const UUID = /^[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}$/i;

/** Returns a function that takes an operation, the values of its path, and the request, and throws a NotionRefusal. */
export function makeNotionAnswers(parts: NotionParts) {
  const { world, settings, show, pager, fileOf } = parts;
  const { nodes, isVisible, isTrashed } = world;
  const { page } = pager;
  const pages = makeNotionPages(parts);
  const { pageOf, propertyOf } = pages;
  const { search, queryOf } = makeNotionQueries(parts, pages);

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
