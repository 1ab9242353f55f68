/**
 * Lists the files of messages (https://learn.microsoft.com/graph/api/resources/attachment).
 *
 * When a message is deleted, Graph no longer tells which files it had. So the files of a message are numbered, and the
 * deletion of a message removes all numbers that its files may have.
 */

import { z } from 'zod';
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import type { Entity } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { remove, type SourceItem, skip, stub } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { at, number, optional, text, wholeCollection } from '../microsoft/collection.ts';
import { IMMUTABLE } from './mailboxes.ts';
import { FILE, MESSAGE, messageId } from './message.ts';

/** Exchange Online allows 250 files (https://learn.microsoft.com/office365/servicedescriptions/exchange-online-service-description/exchange-online-limits). */
const MOST = 250;

const Attachment = z.object({
  '@odata.type': text,
  id: z.string(),
  name: text,
  contentType: text,
  size: number,
  isInline: optional(z.boolean()),
});
type Attachment = z.infer<typeof Attachment>;

/** `path` is the path of the content. */
export interface CarriedRecord {
  readonly entity: Entity;
  readonly path?: string;
}

export interface MessagePlace {
  readonly userId: string;
  /** This is the id of the message at Graph. */
  readonly id: string;
  readonly partition: string;
}

/** Images in the text of a message are parts of it. */
const isShown = ({ isInline, contentType = '' }: Attachment) =>
  !(isInline && contentType.startsWith('image/'));

/** Returns the records of all files of a message. */
export async function filesOf(
  http: Http,
  { userId, id, partition }: MessagePlace,
  message: Entity,
): Promise<SourceItem[]> {
  const path = at`users/${userId}/messages/${id}/attachments`;
  const query = { $select: 'id,name,contentType,size,isInline' };
  const all = await wholeCollection(http, { path, query, headers: IMMUTABLE }, Attachment);
  const files = all.filter(isShown).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return files.slice(0, MOST).map((file, i) => {
    const entity = toFile(numbered(message.id, i + 1), file, message);
    const omission = omissionOf(file);
    if (omission) return skip(entity.id, FILE, { ...omission, removes: 'record' });
    const content = at`users/${userId}/messages/${id}/attachments/${file.id}/$value`;
    const carry: CarriedRecord = { entity, path: content };
    return stub(entity.id, FILE, { version: digestOf([file, entity]), partition, carry });
  });
}

/** Returns removals of the files of a message after the first `kept` ones. */
export function withoutFiles(message: string, kept = 0): SourceItem[] {
  return Array.from({ length: MOST - kept }, (_, i) => remove(numbered(message, kept + i + 1)));
}

/** Returns removals of a message and all its files. */
export const without = (userId: string, id: string): SourceItem[] => {
  const record = messageId({ userId }, id);
  return [remove(record), ...withoutFiles(record)];
};

const numbered = (message: string, number: number) => `${message}/${number}`;

function omissionOf(file: Attachment): Omission | null {
  const { name = '', contentType = '', size = 0 } = file;
  switch (file['@odata.type']) {
    case '#microsoft.graph.itemAttachment':
      return {
        reason: 'of a kind that is not read yet',
        detail: 'messages, events and contacts that are attached to a message',
      };
    case '#microsoft.graph.referenceAttachment':
      return {
        reason: 'only a link',
        detail: 'files at OneDrive and elsewhere, of which a message has the address',
        hint: 'Connect the place where the file is.',
      };
    default:
      return /^(?:image|audio|video|font)\//.test(contentType)
        ? { reason: 'of a kind without text' }
        : reasonToLeaveOut(name, size);
  }
}

const toFile = (id: string, file: Attachment, message: Entity): Entity => ({
  id,
  type: FILE,
  name: file.name || '(no name)',
  text: '',
  url: message.url,
  breadcrumbs: [
    ...(message.breadcrumbs ?? []),
    { id: message.id, name: message.name, type: MESSAGE },
  ],
  createdAt: message.createdAt,
  updatedAt: message.updatedAt,
  access: message.access,
  fields: {
    media_type: file.contentType ?? null,
    size: file.size ?? null,
    mailbox: message.fields.mailbox,
    message_id: message.fields.message_id,
  },
});
