/** Makes records of what Outline answers. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Access, Entity } from '../../model/entity.ts';
import { type LeftOut, type SourceItem, type Stub, stub, type Upsert, upsert } from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import type { OutlineCollection, OutlineComment, OutlineDocument, OutlineUser } from './answer.ts';
import { commentText } from './comment-text.ts';
import type { OutlinePlace } from './workspace.ts';

const about = (title: string, description: string) =>
  z.string().nullable().meta({ title, description });
const AUTHOR = about(
  'Author',
  'E-mail address of the author, or the name where the address is not shown.',
);
const IN_COLLECTION = about('Collection', 'Name of the collection.');
const IN_DOCUMENT = about('Document', 'Title of the document.');

export const entities = {
  OutlineCollection: z.object({}),
  OutlineDocument: z.object({
    collection: IN_COLLECTION,
    author: AUTHOR,
    editor: about('Editor', 'E-mail address of the last editor, or the name.'),
  }),
  OutlineComment: z.object({
    collection: IN_COLLECTION,
    document: IN_DOCUMENT,
    author: AUTHOR,
    resolved: z
      .boolean()
      .meta({ title: 'Resolved', description: 'Whether the thread is resolved.' }),
  }),
  OutlineFile: z.object({ collection: IN_COLLECTION, document: IN_DOCUMENT }),
};

/** The partition of all collections and that of all documents. */
export const COLLECTIONS = 'collections';
export const DOCUMENTS = 'documents';
/** The comments and the files of a document are each in a partition of their own. */
export const COMMENTS = 'comments';
export const commentsOn = (document: string): string => `${COMMENTS}/${document}`;
export const filesIn = (document: string): string => `files/${document}`;

const personOf = (user: OutlineUser | null): string | null =>
  user ? (user.email ?? user.name) : null;

export const ofCollection = (
  collection: OutlineCollection,
  { url, access }: { readonly url: string; readonly access: Access },
): Upsert =>
  upsert(
    {
      id: collection.id,
      type: 'OutlineCollection',
      name: collection.name || 'Untitled',
      text: collection.description ?? '',
      url,
      createdAt: new Date(collection.createdAt),
      updatedAt: new Date(collection.updatedAt),
      access,
      fields: {},
    },
    { partition: COLLECTIONS },
  );

export const ofDocument = (document: OutlineDocument, place: OutlinePlace): Upsert =>
  upsert(
    {
      id: document.id,
      type: 'OutlineDocument',
      name: place.title,
      text: document.text,
      url: place.url,
      breadcrumbs: place.breadcrumbs,
      createdAt: new Date(document.createdAt),
      updatedAt: new Date(document.updatedAt),
      access: place.access,
      fields: {
        collection: place.collection,
        author: personOf(document.createdBy),
        editor: personOf(document.updatedBy),
      },
    },
    { partition: DOCUMENTS },
  );

/** Returns the fields that all records inside of a document have. */
const inside = ({ id, title, breadcrumbs, access }: OutlinePlace) => ({
  breadcrumbs: [...breadcrumbs, { id, name: title, type: 'OutlineDocument' }],
  access,
});

export const ofComment = (comment: OutlineComment, place: OutlinePlace): Upsert =>
  upsert(
    {
      ...inside(place),
      id: comment.id,
      type: 'OutlineComment',
      name: `Comment on ${place.title}`,
      text: commentText(comment.data),
      url: `${place.url}?commentId=${encodeURIComponent(comment.id)}`,
      createdAt: new Date(comment.createdAt),
      updatedAt: new Date(comment.updatedAt),
      fields: {
        collection: place.collection,
        document: place.title,
        author: personOf(comment.createdBy),
        resolved: comment.resolvedAt !== null,
      },
    },
    { partition: commentsOn(place.id) },
  );

/**
 * Outline has no list of attachments: they are links in the text of a document, with the size after the name. A label
 * has no further bracket that is not escaped, so that each bracket begins at most one attempt.
 */
const FILE_LINK =
  /(?<!!)\[((?:\\.|[^[\]\\]){0,1000})\]\((?:https?:\/\/[^\s)/]+)?\/api\/attachments\.redirect\?id=([\w-]{1,64})\)/g;

interface FileCarry {
  readonly attachment: string;
  readonly size: number | undefined;
  readonly entity: Omit<Entity, 'file'>;
}

/** The content of an attachment never changes, so the version is a digest of all other fields. */
export function* filesOf(document: OutlineDocument, place: OutlinePlace): Generator<SourceItem> {
  const met = new Set<string>();
  for (const [, label = '', attachment = ''] of document.text.matchAll(FILE_LINK)) {
    if (met.has(attachment)) continue;
    met.add(attachment);
    const [, name = '', size] = /^(.*?)(?: (\d+))?$/s.exec(label.replaceAll(/\\(.)/gs, '$1')) ?? [];
    const entity = {
      ...inside(place),
      id: `${place.id}/${attachment}`,
      type: 'OutlineFile',
      name: name || 'Untitled',
      text: '',
      url: place.url,
      fields: { collection: place.collection, document: place.title },
    };
    const carry: FileCarry = { attachment, size: size ? Number(size) : undefined, entity };
    const version = digestOf(entity);
    yield stub(entity.id, entity.type, { version, partition: filesIn(place.id), carry });
  }
}

export function readFile(http: Http, found: Stub): Promise<Upsert | LeftOut> {
  const { version, partition, carry } = found;
  const { attachment, size, entity } = carry as FileCarry;
  return fileOrSkip(found, { service: 'Outline' }, async () => {
    const request = { path: 'attachments.redirect', body: { id: attachment } };
    const file = await http.file(request, { name: entity.name, size });
    return upsert({ ...entity, file }, { version, partition });
  });
}

export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
