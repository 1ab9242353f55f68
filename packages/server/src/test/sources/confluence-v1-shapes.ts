/** Shows people, restrictions and what is found as the answers of the first version of Confluence's API have them. */
import type { AtlassianGroup, AtlassianUser } from './atlassian-people.ts';
import type { ConfluenceSettings } from './confluence-paging.ts';
import type { ConfluenceContent, ConfluenceHolder, ConfluenceItem } from './confluence-records.ts';
import { BASE, type ConfluenceShape, timeOf, webui } from './confluence-shapes.ts';
import type { ConfluenceWorld } from './confluence-world.ts';

export function makeConfluenceV1Shapes(world: ConfluenceWorld, settings: ConfluenceSettings) {
  const show = {
    /** The first version shows an empty text for a hidden address, and the second leaves it out. */
    user: (user: AtlassianUser | undefined): ConfluenceShape =>
      user === undefined
        ? {
            type: 'anonymous',
            displayName: 'Anonymous',
            _expandable: { operations: '' },
            _links: {},
          }
        : {
            type: 'known',
            accountId: user.accountId,
            accountType: user.type,
            email: user.email ?? '',
            publicName: user.name,
            displayName: user.name,
            timeZone: user.timeZone,
            isExternalCollaborator: false,
            _expandable: { operations: '', personalSpace: '' },
            _links: { self: `${BASE}/rest/api/user?accountId=${user.accountId}` },
          },
    group: ({ id, name }: AtlassianGroup): ConfluenceShape => ({
      type: 'group',
      id,
      name,
      _links: {},
    }),
    /** A restriction of an operation that everybody may do has empty lists. */
    restriction(
      content: ConfluenceContent,
      operation: 'read' | 'update',
      { expand = [], start = 0 }: { expand?: readonly string[]; start?: number | string },
    ): ConfluenceShape {
      const holders = operation === 'read' ? (content.restriction ?? []) : [];
      const listed = (type: ConfluenceHolder['type']) => {
        const all = holders.flatMap((one) => (one.type === type ? [show.holder(one)] : []));
        const [first, limit] = [Number(start), settings.largestRestriction];
        const results = all.slice(first, first + limit);
        return { results, start: first, limit, size: results.length };
      };
      const wants = (type: string) => expand.some((one) => one.endsWith(`restrictions.${type}`));
      return {
        operation,
        restrictions: {
          ...(wants('user') && { user: listed('user') }),
          ...(wants('group') && { group: listed('group') }),
          _expandable: {
            ...(!wants('user') && { user: '' }),
            ...(!wants('group') && { group: '' }),
          },
        },
        _expandable: { content: `/rest/api/content/${content.id}` },
        _links: {
          self: `${BASE}/rest/api/content/${content.id}/restriction/byOperation/${operation}`,
        },
      };
    },
    holder: ({ type, value }: ConfluenceHolder): ConfluenceShape => {
      if (type === 'group') return show.group(world.groupOf(value));
      return show.user(world.users.find(({ accountId }) => accountId === value)!);
    },
    /** Only contents have restrictions and labels. */
    contentFound(item: ConfluenceItem, expand: readonly string[]): ConfluenceShape {
      const isContent = 'space' in item;
      const wanted = (name: string) => expand.filter((one) => one.startsWith(name));
      const read = wanted('restrictions.read.').map((one) => one.replace('restrictions.read.', ''));
      return {
        ...(show.found(
          item,
          expand.map((one) => `content.${one}`),
        ).content as ConfluenceShape),
        ...(read.length > 0 && {
          restrictions: {
            ...(isContent && { read: show.restriction(item, 'read', { expand: read }) }),
            _expandable: { update: '' },
          },
        }),
        ...(wanted('metadata.labels').length > 0 && {
          metadata: { labels: show.labels(isContent ? item.labels : []), _expandable: {} },
        }),
      };
    },
    labels(names: readonly string[]): ConfluenceShape {
      const results = names.map((name, i) => ({
        prefix: 'global',
        name,
        id: String(i + 1),
        label: name,
      }));
      return { results, start: 0, limit: 200, size: results.length, _links: {} };
    },
    found(item: ConfluenceItem, expand: readonly string[]): ConfluenceShape {
      const type = 'space' in item ? item.kind : 'name' in item ? 'attachment' : 'comment';
      const title =
        'title' in item ? item.title : 'name' in item ? item.name : `Re: ${item.on.title}`;
      const url = webui('space' in item ? item : item.on);
      const { space } = 'space' in item ? item : item.on;
      return {
        content: {
          id: item.id,
          type,
          status: 'status' in item ? item.status : 'current',
          title,
          ...(expand.includes('content.version') && {
            version: { when: timeOf(item.updatedAt), number: item.version, minorEdit: false },
          }),
          _expandable: {},
          _links: { webui: url, self: `${BASE}/rest/api/content/${item.id}` },
        },
        title,
        excerpt: '',
        url,
        resultGlobalContainer: { title: space.name, displayUrl: `/spaces/${space.key}` },
        breadcrumbs: [],
        entityType: 'content',
        iconCssClass: `aui-icon content-type-${type}`,
        lastModified: timeOf(item.updatedAt),
        friendlyLastModified: 'today',
        score: 0,
      };
    },
  };
  return show;
}
