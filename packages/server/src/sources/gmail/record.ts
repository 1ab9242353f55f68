/**
 * Makes records of messages and of the files in them. A message never changes, except for its labels, so all its
 * records always have the same version. What changes its labels is read from the history of the mailbox.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { tooLarge, tooMuchText } from '../../documents/kinds.ts';
import { decodeMail } from '../../documents/mail/decode.ts';
import { addressesIn, mainValueOf, parameterOf } from '../../documents/mail/header-values.ts';
import { oneLine } from '../../documents/mail/names.ts';
import {
  type FilePart,
  type MailNode,
  type MailParts,
  partsOf,
  type TextPart,
} from '../../documents/mail/structure.ts';
import type { Entity } from '../../model/entity.ts';
import { type LeftOut, type Stub, skip, stub, type Upsert, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { contextOf, omissionOf, sentAt, subjectLine, timeOf } from '../mail/record.ts';
import { withTexts } from '../mail/text.ts';
import { type AnsweredMessage, AttachmentBody, type MessagePart, NO_BODY } from './answer.ts';
import { pathOf } from './api.ts';
import { isShown, type LabelNames } from './config.ts';
import { headerOf } from './headers.ts';

export const MESSAGE = 'GmailMessage';
const FILE = 'GmailAttachment';

/** A change of the version makes the next full sync read all messages again. */
export const VERSION = 'gmail-1';

const people = (description: string) => z.array(z.string()).meta({ description });
const text = (description: string) => z.string().nullable().meta({ description });

export const entities = {
  [MESSAGE]: z.object({
    from: people('Senders, at most 100.'),
    to: people('Recipients, at most 100.'),
    cc: people('Recipients of copies, at most 100.'),
    message_id: text('Message-ID of the message.'),
    in_reply_to: text('Message-ID of the message that is answered.'),
    thread_id: z.string().meta({ description: 'Id of the conversation at Gmail.' }),
    labels: z
      .array(z.string())
      .meta({ description: 'Names of the labels, without that of unread messages.' }),
    received_at: text('Time at which Gmail got the message.'),
    protection: text('signed or encrypted, if the message is. Encrypted text is not copied.'),
  }),
  [FILE]: z.object({
    media_type: z.string().meta({ description: 'Media type, as the sender named it.' }),
    size: z.number().meta({ description: 'Size in bytes.' }),
    message_id: text('Message-ID of the message to which the file is attached.'),
  }),
};

/** Records of a mailbox need this. It is kept with stubs. */
export interface MailOwner {
  readonly user: string;
  readonly email: string;
  readonly names: LabelNames;
}

export interface CarriedMessage {
  readonly owner: MailOwner;
  /** The id of the message at Gmail. */
  readonly id: string;
  /** The number of the part that is the file; null for the message itself. */
  readonly part: string | null;
  /** A message that was read just now need not be asked for again. */
  readonly read?: ReadMessage;
}

/** A message with the parts that were found in it. */
export interface ReadMessage {
  readonly message: AnsweredMessage;
  readonly parts: MailParts;
  readonly bodies: ReadonlyMap<string, MessagePart['body']>;
}

/** A slash in an address, or in an id of Gmail, must not look like the end of it. */
const segmentOf = (text: string): string => text.replaceAll('%', '%25').replaceAll('/', '%2F');
const idOf = (...parts: readonly string[]): string => parts.map(segmentOf).join('/');
export const messageId = ({ email }: MailOwner, id: string): string => idOf(email, id);
export const fileId = ({ email }: MailOwner, id: string, part: string): string =>
  idOf(email, id, part === '' ? '0' : part);
export const partitionOf = (email: string): string => segmentOf(email.toWellFormed());

export function readParts(message: AnsweredMessage): ReadMessage {
  const bodies = new Map<string, MessagePart['body']>();
  const { payload } = message;
  const root = payload && nodeOf(payload, payload.partId, bodies);
  const parts = root ? partsOf(root) : { texts: [], files: [], protection: null };
  return { message, parts, bodies };
}

/** `number` names the part in the result of `partsOf`. */
function nodeOf(
  { mimeType, headers, filename, body, parts }: MessagePart,
  number: string,
  bodies: Map<string, MessagePart['body']>,
): MailNode {
  bodies.set(number, body);
  const type = mimeType.toLowerCase() || 'text/plain';
  const content = headerOf(headers, 'content-type');
  const charset = parameterOf(content, 'charset');
  const smime = parameterOf(content, 'smime-type');
  const isMessage = type === 'message/rfc822';
  return {
    part: number,
    type,
    parameters: {
      ...(charset !== undefined && { charset }),
      ...(smime !== undefined && { 'smime-type': smime }),
    },
    disposition: mainValueOf(headerOf(headers, 'content-disposition')),
    ...(filename !== '' && { dispositionParameters: { filename } }),
    id: headerOf(headers, 'content-id'),
    size: body.size,
    ...(isMessage && { envelope: { subject: headerOf(parts[0]?.headers ?? [], 'subject') } }),
    childNodes: parts.map((part) => {
      // The only part of an attached message is found by a number that follows from that of the message.
      const isOnly = isMessage && !part.mimeType.toLowerCase().startsWith('multipart/');
      return nodeOf(part, isOnly ? `${number}.1` : part.partId, bodies);
    }),
  };
}

/** Returns the record of the message, and stubs of its files. */
export async function itemsOf(
  http: Http,
  owner: MailOwner,
  read: ReadMessage,
): Promise<(Upsert | LeftOut | Stub)[]> {
  const { message, parts } = read;
  const filesOnly = withoutText(read);
  const files = parts.files.map((file): Stub | LeftOut => {
    const id = fileId(owner, message.id, file.part);
    const omission = omissionOf(file);
    return omission
      ? skip(id, FILE, { ...omission, removes: 'record' })
      : stubOf({ owner, id: message.id, part: file.part, read: filesOnly });
  });
  return [await messageItem(http, owner, read), ...files];
}

/** Stubs wait together, so they do not keep the text of their message. */
function withoutText({ message, parts, bodies }: ReadMessage): ReadMessage {
  const { payload } = message;
  const needed = new Set(
    parts.files.flatMap((file) => [file.part, ...(file.message ?? []).map(({ part }) => part)]),
  );
  return {
    message: { ...message, ...(payload && { payload: { ...payload, parts: [], body: NO_BODY } }) },
    parts: { ...parts, texts: [] },
    bodies: new Map([...bodies].filter(([number]) => needed.has(number))),
  };
}

export const stubOf = (carry: CarriedMessage): Stub => {
  const { owner, id, part } = carry;
  const partition = partitionOf(owner.email);
  return part === null
    ? stub(messageId(owner, id), MESSAGE, { version: VERSION, partition, carry })
    : stub(fileId(owner, id, part), FILE, { version: VERSION, partition, carry });
};

export async function messageItem(
  http: Http,
  owner: MailOwner,
  read: ReadMessage,
): Promise<Upsert | LeftOut> {
  const { texts, protection } = read.parts;
  const entity = toEntity(owner, read);
  return textItem(http, { owner, read, entity, texts: protection === 'encrypted' ? [] : texts });
}

interface TextRecord {
  readonly owner: MailOwner;
  readonly read: ReadMessage;
  /** The entity lacks its text. */
  readonly entity: Entity;
  readonly texts: readonly TextPart[];
}

export async function textItem(
  http: Http,
  { owner, read, entity, texts }: TextRecord,
): Promise<Upsert | LeftOut> {
  const size = texts.reduce((sum, one) => sum + one.size, 0);
  const large = tooLarge('plain', size);
  if (large) return skip(entity.id, entity.type, { ...large, removes: 'record' });
  const contents = [];
  for (const { part, kind, charset } of texts) {
    const bytes = await bytesOf(http, { owner, read, part });
    contents.push({ kind, content: decodeMail(bytes, charsetOf(bytes, charset)) });
  }
  const complete = withTexts(entity, contents);
  const omission = tooMuchText(complete.text);
  return omission
    ? skip(entity.id, entity.type, { ...omission, removes: 'record' })
    : upsert(complete, { version: VERSION, partition: partitionOf(owner.email) });
}

/** Gmail has made UTF-8 of most texts, and still names the charset that the message had. */
function charsetOf(bytes: Buffer, charset: string | undefined): string | undefined {
  const hasEscapes = bytes.includes(ESCAPE);
  return !hasEscapes && isUtf8(bytes) ? 'utf-8' : charset;
}
/** Charsets of 7 bits, such as ISO-2022-JP, have it, and look like UTF-8 otherwise. */
const ESCAPE = 0x1b;

function toEntity({ email, names }: MailOwner, { message, parts }: ReadMessage): Entity {
  const headers = message.payload?.headers ?? [];
  const subject = headerOf(headers, 'subject');
  const received = timeOf(new Date(message.internalDate || Number.NaN));
  const from = addressesIn(headerOf(headers, 'from'));
  const to = addressesIn(headerOf(headers, 'to'));
  const name = subjectLine(subject);
  return {
    id: idOf(email, message.id),
    type: MESSAGE,
    name,
    text: '',
    context: contextOf(from, to),
    url: `https://mail.google.com/mail/?authuser=${encodeURIComponent(email)}#all/${encodeURIComponent(message.id)}`,
    breadcrumbs: [
      { id: email, name: email, type: 'GmailMailbox' },
      { id: idOf(email, 'thread', message.threadId), name: threadName(name), type: 'GmailThread' },
    ],
    createdAt: sentAt(timeOf(headerOf(headers, 'date')), received),
    updatedAt: received,
    access: { viewers: [`user:${email}`], isPublic: false },
    fields: {
      from,
      to,
      cc: addressesIn(headerOf(headers, 'cc')),
      message_id: idIn(headerOf(headers, 'message-id')),
      in_reply_to: idIn(headerOf(headers, 'in-reply-to')),
      thread_id: message.threadId,
      labels: message.labelIds
        .filter(isShown)
        .map((id) => names[id] ?? id)
        .toSorted(),
      received_at: received?.toISOString() ?? null,
      protection: parts.protection,
    },
  };
}

const MAX_ID = 998;
const idIn = (header: string | undefined): string | null => oneLine(header ?? '', MAX_ID) || null;

/** The messages of a conversation have one subject, apart from the prefixes of answers. */
const threadName = (subject: string): string =>
  subject.replace(/^(?:(?:re|fwd?|aw|wg|tr|sv)(?:\[\d+\])?:\s*)+/i, '') || subject;

export function toFile(owner: MailOwner, read: ReadMessage, file: FilePart): Entity {
  const message = toEntity(owner, read);
  const { name, mediaType, size, part } = file;
  return {
    id: fileId(owner, read.message.id, part),
    type: FILE,
    name,
    text: '',
    url: message.url,
    breadcrumbs: [
      ...(message.breadcrumbs ?? []),
      { id: message.id, name: message.name, type: MESSAGE },
    ],
    createdAt: message.createdAt,
    updatedAt: message.updatedAt,
    access: message.access,
    fields: { media_type: mediaType, size, message_id: message.fields.message_id },
  };
}

interface BodyPart {
  readonly owner: MailOwner;
  readonly read: ReadMessage;
  readonly part: string;
}

/** Returns the path at which Gmail has the content of the part, or null when the message has the content itself. */
export function attachmentPath({ owner, read, part }: BodyPart): string | null {
  const { attachmentId = '', data = '' } = read.bodies.get(part) ?? {};
  return attachmentId === '' || data !== ''
    ? null
    : pathOf(owner.user, 'messages', read.message.id, 'attachments', attachmentId);
}

export const dataOf = ({ read, part }: BodyPart): Buffer =>
  Buffer.from(read.bodies.get(part)?.data ?? '', 'base64url');

async function bytesOf(http: Http, at: BodyPart): Promise<Buffer> {
  const path = attachmentPath(at);
  if (path === null) return dataOf(at);
  return Buffer.from((await http.json({ path }, AttachmentBody)).value.data, 'base64url');
}
