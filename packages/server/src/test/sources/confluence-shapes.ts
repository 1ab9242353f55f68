/** Shows the records of a site of Confluence as the answers of both versions of its API have them. */
import { ATLASSIAN_SITE } from './atlassian-gate.ts';
import type { AtlassianGroup, AtlassianUser } from './atlassian-people.ts';
import type { ConfluenceSettings } from './confluence-paging.ts';
import type {
  ConfluenceAttachment,
  ConfluenceBody,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceHolder,
  ConfluenceSpace,
} from './confluence-records.ts';
import type { ConfluenceWorld } from './confluence-world.ts';

type Row = Record<string, unknown>;
export type ConfluenceItem = ConfluenceContent | ConfluenceComment | ConfluenceAttachment;

const time = (at: number): string => new Date(at).toISOString();
export const BASE = `${ATLASSIAN_SITE}/wiki`;

export function makeConfluenceShapes(world: ConfluenceWorld, settings: ConfluenceSettings) {
  const version = ({ updatedAt, version: number, author }: ConfluenceItem) => ({
    createdAt: time(updatedAt),
    message: '',
    number,
    minorEdit: false,
    authorId: author.accountId,
  });
  /** A request that names no format gets an empty object as the body. */
  const body = ({ storage, adf }: ConfluenceBody, format?: string): Row =>
    format === 'storage'
      ? { storage: { representation: format, value: storage } }
      : format === 'atlas_doc_format'
        ? { [format]: { representation: format, value: JSON.stringify(adf) } }
        : {};
  const on = (content: ConfluenceContent) =>
    content.kind === 'page' ? { pageId: content.id } : { blogPostId: content.id };
  const webui = ({ space, id, kind, title }: ConfluenceContent) =>
    kind === 'page'
      ? `/spaces/${space.key}/pages/${id}/${encodeURIComponent(title)}`
      : `/spaces/${space.key}/blog/${id}`;

  /** The first page of a space is that with which it was made. */
  const homepageOf = (space: ConfluenceSpace) =>
    [...world.contents.values()].find(
      (one) => one.kind === 'page' && one.space === space && one.parent === null,
    );

  /** The document does not allow null here, but a space can do without the field. */
  const homeOf = (space: ConfluenceSpace) => {
    const home = homepageOf(space);
    return home && { homepageId: home.id };
  };

  const show = {
    space: (space: ConfluenceSpace, { format }: { format?: string | undefined } = {}): Row => ({
      id: space.id,
      key: space.key,
      name: space.name,
      type: space.type,
      status: space.status,
      authorId: space.author.accountId,
      createdAt: time(space.createdAt),
      ...homeOf(space),
      description:
        format === undefined
          ? null
          : { [format]: { representation: format, value: space.description } },
      icon: null,
      _links: { webui: `/spaces/${space.key}` },
    }),
    content: (content: ConfluenceContent, format?: string): Row => ({
      id: content.id,
      status: content.status,
      title: content.title,
      spaceId: content.space.id,
      ...(content.kind === 'page' && {
        parentId: content.parent?.id ?? null,
        parentType: content.parent?.kind ?? null,
        position: Number(content.id),
        ownerId: content.author.accountId,
        lastOwnerId: null,
      }),
      authorId: content.author.accountId,
      createdAt: time(content.createdAt),
      version: version(content),
      body: body(content.body, format),
      _links: { webui: webui(content), tinyui: `/x/${content.id}` },
    }),
    folder: (folder: ConfluenceContent): Row => ({
      id: folder.id,
      type: 'folder',
      status: folder.status,
      title: folder.title,
      parentId: folder.parent?.id ?? null,
      parentType: folder.parent?.kind ?? null,
      authorId: folder.author.accountId,
      ownerId: folder.author.accountId,
      createdAt: time(folder.createdAt),
      spaceId: folder.space.id,
      version: version(folder),
      _links: { webui: `/spaces/${folder.space.key}/folder/${folder.id}` },
    }),
    comment: (comment: ConfluenceComment, format?: string): Row => ({
      id: comment.id,
      status: 'current',
      title: `Re: ${comment.on.title}`,
      ...(comment.parent ? { parentCommentId: comment.parent.id } : on(comment.on)),
      version: version(comment),
      body: body(comment.body, format),
      ...(comment.kind === 'inline' && {
        resolutionStatus: comment.resolution,
        properties: {
          inlineMarkerRef: `ref-${comment.id}`,
          inlineOriginalSelection: comment.selection ?? '',
        },
      }),
      _links: { webui: `${webui(comment.on)}?focusedCommentId=${comment.id}` },
    }),
    attachment(file: ConfluenceAttachment): Row {
      const download = `/download/attachments/${file.on.id}/${encodeURIComponent(file.name)}?version=${file.version}&api=v2`;
      const preview = `${webui(file.on)}?preview=${file.id}`;
      return {
        id: file.id,
        status: file.status,
        title: file.name,
        createdAt: time(file.createdAt),
        ...on(file.on),
        mediaType: file.type,
        mediaTypeDescription: 'File',
        comment: '',
        fileId: `file-${file.id}`,
        fileSize: Buffer.byteLength(file.content),
        webuiLink: preview,
        downloadLink: download,
        version: version(file),
        _links: { webui: preview, download },
      };
    },
    permission: ({ type, value }: ConfluenceHolder, i: number, { id }: ConfluenceSpace): Row => ({
      id: `${id}${i}`,
      principal: { type, id: value },
      operation: { key: 'read', targetType: 'space' },
    }),
    /** The first version shows an empty text for a hidden address, and the second leaves it out. */
    user: (user: AtlassianUser | undefined): Row =>
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
    userOfBulk: (user: AtlassianUser): Row => ({
      accountId: user.accountId,
      accountType: user.type,
      accountStatus: user.isActive ? 'active' : 'inactive',
      ...(user.email !== null && { email: user.email }),
      publicName: user.name,
      displayName: user.name,
      timeZone: user.timeZone,
    }),
    group: ({ id, name }: AtlassianGroup): Row => ({ type: 'group', id, name, _links: {} }),
    /** A restriction of an operation that everybody may do has empty lists. */
    restriction(
      content: ConfluenceContent,
      operation: 'read' | 'update',
      { expand = [], start = 0 }: { expand?: readonly string[]; start?: number | string },
    ): Row {
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
    holder: ({ type, value }: ConfluenceHolder): Row => {
      if (type === 'group') return show.group(world.groups.find(({ id }) => id === value)!);
      return show.user(world.users.find(({ accountId }) => accountId === value)!);
    },
    /** Only contents have restrictions and labels. */
    contentFound(item: ConfluenceItem, expand: readonly string[]): Row {
      const isContent = 'space' in item;
      const wanted = (name: string) => expand.filter((one) => one.startsWith(name));
      const read = wanted('restrictions.read.').map((one) => one.replace('restrictions.read.', ''));
      return {
        ...(show.found(
          item,
          expand.map((one) => `content.${one}`),
        ).content as Row),
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
    labels(names: readonly string[]): Row {
      const results = names.map((name, i) => ({
        prefix: 'global',
        name,
        id: String(i + 1),
        label: name,
      }));
      return { results, start: 0, limit: 200, size: results.length, _links: {} };
    },
    found(item: ConfluenceItem, expand: readonly string[]): Row {
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
            version: { when: time(item.updatedAt), number: item.version, minorEdit: false },
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
        lastModified: time(item.updatedAt),
        friendlyLastModified: 'today',
        score: 0,
      };
    },
  };
  return show;
}
