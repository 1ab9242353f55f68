/** Makes entities of spaces, pages, blog posts, comments and attachments. */
import { z } from 'zod';
import type { Access, Breadcrumb, Entity, FileRef } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { beginningOf } from '../../util.ts';
import type { AttachmentAnswer, ContentAnswer, SpaceAnswer, ThreadComment } from './answer.ts';
import type { ListedAnswer, ListedKind } from './api.ts';
import { type ConfluencePeople, readersOf } from './people.ts';
import { storageToHtml } from './storage.ts';

const MAX_QUOTE = 200;

const name = (title: string, description: string) =>
  z.string().nullable().meta({ title, description });
const shared = {
  space: name('Space', 'Name of the space.'),
  space_key: name('Space key', 'Key of the space.'),
  author: name('Author', 'Name of the person who has made the record.'),
};
const onPage = { ...shared, page: name('Page', 'Title of the page or blog post.') };
const ContentFields = z.object({
  ...shared,
  edited_by: name('Edited by', 'Name of the person who has made the last version.'),
  labels: z.array(z.string()).meta({ title: 'Labels', description: 'Labels of the page.' }),
  version: z.number().meta({ title: 'Version', description: 'Number of the last version.' }),
});
const CommentFields = z.object({
  ...onPage,
  kind: z.enum(['footer', 'inline']).meta({
    title: 'Kind',
    description: 'A comment is below a page, or on some of its words.',
  }),
  resolution: name('Resolution', 'State of a comment on words, such as open or resolved.'),
});
const AttachmentFields = z.object({
  ...onPage,
  media_type: name('Type', 'Media type of the file.'),
  size: z.number().meta({ title: 'Size', description: 'Size in bytes.' }),
});
const SpaceFields = z.object({
  space_key: shared.space_key,
  kind: name('Kind', 'Kind of the space, such as global or personal.'),
});
export const TYPES = {
  page: 'ConfluencePage',
  blogpost: 'ConfluenceBlogPost',
  footer: 'ConfluenceComment',
  inline: 'ConfluenceComment',
  attachment: 'ConfluenceAttachment',
} as const satisfies Readonly<Record<ListedKind, string>>;
export const entities = {
  ConfluenceSpace: SpaceFields,
  ConfluencePage: ContentFields,
  ConfluenceBlogPost: ContentFields,
  ConfluenceComment: CommentFields,
  ConfluenceAttachment: AttachmentFields,
};

/** Pages and spaces may have the same number. */
export const idOf = (kind: ListedKind, id: string): string =>
  `${kind === 'footer' || kind === 'inline' ? 'comment' : kind}/${id}`;
export const spaceId = ({ id }: SpaceAnswer): string => `space/${id}`;

/** Where a record stands, and who may see it. */
export interface ConfluencePlace {
  readonly space: SpaceAnswer;
  /** These are the ancestors from the space to the parent. */
  readonly above: readonly Breadcrumb[];
  readonly access: Access;
  readonly labels: readonly string[];
  /** The site's address for people. */
  readonly url: string;
}

/** The version changes with the record, and with everything around it that a search shows. */
export function versionOf(
  listed: ListedAnswer,
  { space, above, access, labels, url }: ConfluencePlace,
): string {
  const { number, createdAt } = listed.version;
  const around = [space.key, space.name, above, access.viewers, access.isPublic, labels, url];
  return `${number} ${digestOf([createdAt, linkIn(listed), ...around]).slice(0, 16)}`;
}

const linkIn = (listed: ListedAnswer): string =>
  'webuiLink' in listed ? listed.webuiLink : listed._links.webui;

export const spaceCrumb = (space: SpaceAnswer): Breadcrumb => ({
  id: spaceId(space),
  name: space.name || space.key,
  type: 'ConfluenceSpace',
});

const linkTo = (url: string, webui: string): string | undefined =>
  webui === '' || url === '' ? undefined : `${url}${webui}`;
const sharedOf = ({ space, url, above, access }: ConfluencePlace, webui: string) => ({
  url: linkTo(url, webui),
  breadcrumbs: above,
  access,
  fields: { space: space.name || null, space_key: space.key || null },
});

export function ofSpace(
  space: SpaceAnswer,
  { url, isPublic }: { url: string; isPublic: boolean },
): Entity {
  return {
    id: spaceId(space),
    type: 'ConfluenceSpace',
    name: space.name || space.key || 'Space',
    text: space.description,
    url: linkTo(url, space._links.webui),
    createdAt: space.createdAt ?? undefined,
    access: { viewers: [readersOf(space.id)], isPublic },
    fields: { space_key: space.key || null, kind: space.type || null },
  };
}

/** An empty body has no text to be read from it. */
const bodyOf = (storage: string, people: ConfluencePeople): Pick<Entity, 'text' | 'html'> =>
  storage.trim() === ''
    ? { text: '' }
    : { text: '', html: storageToHtml(storage, (id) => people.nameOf(id)) };

export function ofContent(
  kind: 'page' | 'blogpost',
  answer: ContentAnswer,
  {
    listed,
    place,
    people,
  }: {
    readonly listed: ListedAnswer;
    readonly place: ConfluencePlace;
    readonly people: ConfluencePeople;
  },
): Entity {
  // The link of the answer names the space in which the record stands by now, which need not be this place.
  const { fields, ...rest } = sharedOf(place, linkIn(listed));
  return {
    ...rest,
    ...bodyOf(answer.body, people),
    id: idOf(kind, answer.id),
    type: TYPES[kind],
    name: answer.title || 'Untitled',
    createdAt: answer.createdAt ?? undefined,
    updatedAt: answer.version.createdAt ?? undefined,
    fields: {
      ...fields,
      author: people.nameOf(answer.authorId) || null,
      edited_by: people.nameOf(answer.version.authorId) || null,
      labels: place.labels,
      version: answer.version.number,
    },
  };
}

export function ofComment(
  kind: 'footer' | 'inline',
  answer: ThreadComment,
  { place, people }: { readonly place: ConfluencePlace; readonly people: ConfluencePeople },
): Entity {
  const { fields, ...rest } = sharedOf(place, linkIn(answer));
  const page = place.above.findLast(({ type }) => type !== 'ConfluenceComment')?.name ?? null;
  const quote = beginningOf(answer.properties.inlineOriginalSelection.trim(), MAX_QUOTE);
  return {
    ...rest,
    ...bodyOf(answer.body, people),
    id: idOf(kind, answer.id),
    type: TYPES[kind],
    name: quote === '' ? `Comment on ${page}` : `Comment on “${quote}” in ${page}`,
    updatedAt: answer.version.createdAt ?? undefined,
    fields: {
      ...fields,
      author: people.nameOf(answer.version.authorId) || null,
      page,
      kind,
      resolution: answer.resolutionStatus || null,
    },
  };
}

export function ofAttachment(
  answer: AttachmentAnswer,
  {
    place,
    people,
    file,
  }: { readonly place: ConfluencePlace; readonly people: ConfluencePeople; readonly file: FileRef },
): Entity {
  const { fields, ...rest } = sharedOf(place, linkIn(answer));
  return {
    ...rest,
    id: idOf('attachment', answer.id),
    type: TYPES.attachment,
    name: answer.title || 'Attachment',
    text: '',
    createdAt: answer.createdAt ?? undefined,
    updatedAt: answer.version.createdAt ?? undefined,
    fields: {
      ...fields,
      author: people.nameOf(answer.version.authorId) || null,
      page: place.above.at(-1)?.name ?? null,
      media_type: answer.mediaType || null,
      size: answer.fileSize,
    },
    file,
  };
}
