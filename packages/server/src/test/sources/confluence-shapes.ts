/** Shows the records of a site of Confluence as the answers of the second version of its API have them. */
import { ATLASSIAN_SITE } from './atlassian-gate.ts';
import type { AtlassianUser } from './atlassian-people.ts';
import type {
  ConfluenceAttachment,
  ConfluenceBody,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceHolder,
  ConfluenceItem,
  ConfluenceSpace,
} from './confluence-records.ts';
import type { ConfluenceWorld } from './confluence-world.ts';

export type ConfluenceShape = Record<string, unknown>;

export const timeOf = (at: number): string => new Date(at).toISOString();
export const BASE = `${ATLASSIAN_SITE}/wiki`;

export const webui = ({ space, id, kind, title }: ConfluenceContent) =>
  kind === 'page'
    ? `/spaces/${space.key}/pages/${id}/${encodeURIComponent(title)}`
    : `/spaces/${space.key}/blog/${id}`;

export function makeConfluenceShapes(world: ConfluenceWorld) {
  const version = ({ updatedAt, version: number, author }: ConfluenceItem) => ({
    createdAt: timeOf(updatedAt),
    message: '',
    number,
    minorEdit: false,
    authorId: author.accountId,
  });
  /** A request that names no format gets an empty object as the body. */
  const body = ({ storage, adf }: ConfluenceBody, format?: string): ConfluenceShape =>
    format === 'storage'
      ? { storage: { representation: format, value: storage } }
      : format === 'atlas_doc_format'
        ? { [format]: { representation: format, value: JSON.stringify(adf) } }
        : {};
  const on = (content: ConfluenceContent) =>
    content.kind === 'page' ? { pageId: content.id } : { blogPostId: content.id };
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

  return {
    space: (
      space: ConfluenceSpace,
      { format }: { format?: string | undefined } = {},
    ): ConfluenceShape => ({
      id: space.id,
      key: space.key,
      name: space.name,
      type: space.type,
      status: space.status,
      authorId: space.author.accountId,
      createdAt: timeOf(space.createdAt),
      ...homeOf(space),
      description:
        format === undefined
          ? null
          : { [format]: { representation: format, value: space.description } },
      icon: null,
      _links: { webui: `/spaces/${space.key}` },
    }),
    content: (content: ConfluenceContent, format?: string): ConfluenceShape => ({
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
      createdAt: timeOf(content.createdAt),
      version: version(content),
      body: body(content.body, format),
      _links: { webui: webui(content), tinyui: `/x/${content.id}` },
    }),
    folder: (folder: ConfluenceContent): ConfluenceShape => ({
      id: folder.id,
      type: 'folder',
      status: folder.status,
      title: folder.title,
      parentId: folder.parent?.id ?? null,
      parentType: folder.parent?.kind ?? null,
      authorId: folder.author.accountId,
      ownerId: folder.author.accountId,
      createdAt: timeOf(folder.createdAt),
      spaceId: folder.space.id,
      version: version(folder),
      _links: { webui: `/spaces/${folder.space.key}/folder/${folder.id}` },
    }),
    comment: (comment: ConfluenceComment, format?: string): ConfluenceShape => ({
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
    attachment(file: ConfluenceAttachment): ConfluenceShape {
      const download = `/download/attachments/${file.on.id}/${encodeURIComponent(file.name)}?version=${file.version}&api=v2`;
      const preview = `${webui(file.on)}?preview=${file.id}`;
      return {
        id: file.id,
        status: file.status,
        title: file.name,
        createdAt: timeOf(file.createdAt),
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
    permission: (
      { type, value }: ConfluenceHolder,
      i: number,
      { id }: ConfluenceSpace,
    ): ConfluenceShape => ({
      id: `${id}${i}`,
      principal: { type, id: value },
      operation: { key: 'read', targetType: 'space' },
    }),
    userOfBulk: (user: AtlassianUser): ConfluenceShape => ({
      accountId: user.accountId,
      accountType: user.type,
      accountStatus: user.isActive ? 'active' : 'inactive',
      ...(user.email !== null && { email: user.email }),
      publicName: user.name,
      displayName: user.name,
      timeZone: user.timeZone,
    }),
  };
}
