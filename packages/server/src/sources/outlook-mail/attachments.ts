/**
 * Lists the files of a message (https://learn.microsoft.com/graph/api/resources/attachment), which are below the message.
 * They are numbered in the order of their ids at Graph.
 */
import { z } from 'zod';
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import type { Entity } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { type ChildRecord, type Stub, skip, stub } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { encoded, number, optional, text, wholeCollection } from '../microsoft/collection.ts';
import { IMMUTABLE } from './mailboxes.ts';
import { FILE, MESSAGE } from './message.ts';

const Attachment = z.object({
  '@odata.type': text,
  id: z.string(),
  name: text,
  contentType: text,
  size: number,
  isInline: optional(z.boolean()),
});
type Attachment = z.infer<typeof Attachment>;

export interface CarriedRecord {
  readonly entity: Entity;
  /** This is the path of the message, or the path of the content of a file. */
  readonly path: string;
}

/** Images in the text of a message are parts of it. */
const isShown = ({ isInline, contentType = '' }: Attachment) =>
  !(isInline && contentType.startsWith('image/'));

/** Returns the records of all files of a message. */
export async function filesOf(http: Http, { carry }: Stub): Promise<ChildRecord[]> {
  const { entity: message, path } = carry as CarriedRecord;
  const list = `${path}/attachments`;
  const query = { $select: 'id,name,contentType,size,isInline' };
  const all = await wholeCollection(http, { path: list, query, headers: IMMUTABLE }, Attachment);
  const files = all.filter(isShown).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return files.map((file, i) => {
    const entity = toFile(`${message.id}/${i + 1}`, file, message);
    const omission = omissionOf(file);
    if (omission) return skip(entity.id, FILE, { ...omission, removes: 'record' });
    const content: CarriedRecord = { entity, path: `${list}/${encoded(file.id)}/$value` };
    return stub(entity.id, FILE, { version: digestOf([file, entity]), carry: content });
  });
}

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
