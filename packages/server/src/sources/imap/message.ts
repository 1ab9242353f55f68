/**
 * Makes records of what the server tells about messages: a stub of each message and of each of its files.
 *
 * The id of a message must survive moves, so it depends neither on the mailbox nor on the UID. It comes from the id that
 * the server gives the message (OBJECTID of RFC 8474, X-GM-MSGID of Gmail), or else from its Message-ID, its time of
 * arrival and its size, which a move keeps (RFC 9051, 6.4.7). So copies of a message in several mailboxes have one id.
 */
import { createHash } from 'node:crypto';
import type { FetchMessageObject, MessageAddressObject } from 'imapflow';
import { MAX_ADDRESSES } from '../../documents/mail/header-values.ts';
import { oneLine, personOf } from '../../documents/mail/names.ts';
import {
  type FilePart,
  type MailProtection,
  partsOf,
  type TextPart,
} from '../../documents/mail/structure.ts';
import type { Access, Entity } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { type SourceItem, skip, stub } from '../items.ts';
import { contextOf, omissionOf, sentAt, subjectLine, timeOf } from '../mail/record.ts';
import { type KnownMessage, keyOf } from './known.ts';
import type { Mailbox } from './mailboxes.ts';
import type { ImapSession } from './session.ts';

export const MESSAGE = 'ImapMessage';
export const FILE = 'ImapAttachment';

/** A change of the version makes the next full sync read all messages again. */
const RECORD_VERSION = 'imap-1';

export interface ListedMessage extends KnownMessage {
  readonly uid: number;
  readonly answer: FetchMessageObject;
}

/** The record of a message, or of one of its files, is read from here. */
export interface CarriedMail {
  readonly path: string;
  readonly validity: string;
  readonly uid: number;
  /** The entity lacks its text, or its file. */
  readonly entity: Entity;
  readonly texts: readonly TextPart[];
  readonly file: FilePart | null;
}

export interface MailPlace {
  readonly mailbox: Mailbox;
  readonly validity: string;
  readonly access: Access;
}

export const messageId = (key: string) => `message/${key}`;
export const fileId = (key: string, number: number) => `message/${key}/${number}`;

/**
 * Asks for these messages of the open mailbox. The library drops answers that it cannot parse, such as those about parts
 * that are nested deeper than 25 levels. Such messages are asked for again without their structure.
 */
export async function askMessages(
  session: ImapSession,
  uids: readonly number[],
): Promise<ListedMessage[]> {
  const basic = { uid: true, internalDate: true, size: true };
  const whole = await session.askFor(uids, { ...basic, envelope: true, bodyStructure: true });
  const answered = new Set(whole.map(({ uid }) => uid));
  const missing = uids.filter((uid) => !answered.has(uid));
  const rest =
    missing.length === 0
      ? []
      : await session.askFor(missing, { ...basic, headers: ['message-id'] });
  const asked = new Set(uids);
  const byUid = new Map([...rest, ...whole].map((answer) => [answer.uid, answer]));
  return [...byUid.values()]
    .filter(({ uid }) => asked.has(uid))
    .toSorted((a, b) => a.uid - b.uid)
    .map((answer) => ({
      uid: answer.uid,
      key: keyOf(identityOf(answer)),
      files: answer.bodyStructure ? partsOf(answer.bodyStructure).files.length : 0,
      answer,
    }));
}

function identityOf({
  emailId,
  internalDate,
  size,
  envelope,
  headers,
}: FetchMessageObject): Buffer {
  const given = envelope?.messageId ?? headers?.toString('latin1') ?? '';
  const [id = ''] = /<[^<>]*>/.exec(given) ?? [];
  const { subject, from, date } = envelope ?? {};
  const own = id === '' ? [subject, from, date] : [id];
  const all = emailId ? [emailId] : [...own, internalDate, size];
  return createHash('sha256').update(JSON.stringify(all)).digest();
}

/** Yields the stub of a message and those of its files. */
export function* recordsOf(
  { uid, key, answer }: ListedMessage,
  place: MailPlace,
): Generator<SourceItem> {
  const { envelope, bodyStructure } = answer;
  if (!envelope || !bodyStructure) {
    yield skip(messageId(key), MESSAGE, {
      reason: 'nested too deep to be read',
      hint: 'Save the parts of the message that you need as a message of their own.',
      removes: 'record',
    });
    return;
  }
  const { texts, files, protection } = partsOf(bodyStructure);
  const message = toMessage(key, { answer, place, protection });
  const at = { path: place.mailbox.path, validity: place.validity, uid };
  const version = versionOf(place);
  const stubOf = (entity: Entity, carry: Pick<CarriedMail, 'texts' | 'file'>) =>
    stub(entity.id, entity.type, {
      version,
      partition: partitionOf(place.mailbox.path),
      carry: { ...at, entity, ...carry } satisfies CarriedMail,
    });
  yield stubOf(message, { texts: protection === 'encrypted' ? [] : texts, file: null });
  for (const [i, file] of files.entries()) {
    const id = fileId(key, i + 1);
    const omission = omissionOf(file);
    if (omission) yield skip(id, FILE, { ...omission, removes: 'record' });
    else yield stubOf(toFile(id, file, message), { texts: file.message ?? [], file });
  }
}

/** A mailbox is a partition without parents, because its messages and those below it are listed independently. */
export const partitionOf = (path: string): string => encodeURIComponent(path.toWellFormed());

/** A message never changes, but its folder and its viewers do. */
const versionOf = ({ mailbox, access }: MailPlace): string =>
  digestOf([RECORD_VERSION, mailbox.breadcrumbs, access]);

interface MessageParts {
  readonly answer: FetchMessageObject;
  readonly place: MailPlace;
  readonly protection: MailProtection | null;
}

function toMessage(key: string, { answer, place, protection }: MessageParts): Entity {
  const { envelope = {}, internalDate } = answer;
  const received = timeOf(internalDate);
  const from = addressesOf(envelope.from);
  const to = addressesOf(envelope.to);
  const cc = addressesOf(envelope.cc);
  return {
    id: messageId(key),
    type: MESSAGE,
    name: subjectLine(envelope.subject),
    text: '',
    context: contextOf(from, to),
    breadcrumbs: place.mailbox.breadcrumbs,
    createdAt: sentAt(timeOf(envelope.date), received),
    updatedAt: received,
    access: place.access,
    fields: {
      from,
      to,
      cc,
      message_id: envelope.messageId ?? null,
      in_reply_to: envelope.inReplyTo ?? null,
      folder: place.mailbox.path,
      received_at: received?.toISOString() ?? null,
      protection,
    },
  };
}

const toFile = (id: string, { name, mediaType, size }: FilePart, message: Entity): Entity => ({
  id,
  type: FILE,
  name,
  text: '',
  breadcrumbs: [
    ...(message.breadcrumbs ?? []),
    { id: message.id, name: message.name, type: MESSAGE },
  ],
  createdAt: message.createdAt,
  updatedAt: message.updatedAt,
  access: message.access,
  fields: { media_type: mediaType, size, message_id: message.fields.message_id },
});

const addressesOf = (addresses: readonly MessageAddressObject[] = []): string[] =>
  addresses
    .slice(0, MAX_ADDRESSES)
    .map(({ name, address }) => personOf(oneLine(name ?? '', 200), oneLine(address ?? '', 320)));
