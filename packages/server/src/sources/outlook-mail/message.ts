/**
 * These are the parts of a message that are read (https://learn.microsoft.com/graph/api/resources/message), and the
 * record that is made of them.
 */
import { z } from 'zod';
import { oneLine } from '../../documents/mail/names.ts';
import type { Access, Breadcrumb, Entity } from '../../model/entity.ts';

export const MESSAGE = 'OutlookMessage';
export const FILE = 'OutlookAttachment';

const MAX_NAME = 500;
const MAX_ADDRESSES = 100;
const DAY_MS = 86_400_000;

/** A value of another form than Graph promises counts as none. */
const text = z.string().nullish().catch(null);
const Recipient = z.object({
  emailAddress: z.object({ name: text, address: text }).nullish(),
});
const recipients = z.array(Recipient.nullish().catch(null)).nullish().catch(null);

/** A delta may tell only the properties that have changed, so a property may be missing. */
export const OutlookMessage = z.object({
  id: z.string(),
  '@removed': z.object({}).nullish(),
  parentFolderId: text,
  subject: text,
  from: Recipient.nullish().catch(null),
  toRecipients: recipients,
  ccRecipients: recipients,
  sentDateTime: text,
  receivedDateTime: text,
  internetMessageId: text,
  conversationId: text,
  webLink: text,
  hasAttachments: z.boolean().nullish(),
  body: z.object({ contentType: text, content: text }).nullish(),
});
export type OutlookMessage = z.infer<typeof OutlookMessage>;
export const SELECT = Object.keys(OutlookMessage.shape)
  .filter((name) => !name.startsWith('@'))
  .join(',');

/** A property is null when the message has none, and undefined when the delta has not told it. A draft may have no sender. */
export const isWhole = (message: OutlookMessage): boolean =>
  [
    message.subject,
    message.toRecipients,
    message.receivedDateTime,
    message.hasAttachments,
    message.body,
  ].every((value) => value !== undefined);

const people = (description: string) => z.array(z.string()).meta({ description });
const field = (description: string) => z.string().nullable().meta({ description });

export const entities = {
  [MESSAGE]: z.object({
    from: people('Sender.'),
    to: people('Recipients, at most 100.'),
    cc: people('Recipients of copies, at most 100.'),
    mailbox: field('E-mail address of the mailbox in which the message is.'),
    folder: z.string().meta({ description: 'Path of the folder in which the message is.' }),
    message_id: field('Message-ID of the message.'),
    conversation_id: field('Id that all messages of a conversation have.'),
    received_at: field('Time at which the message arrived.'),
  }),
  [FILE]: z.object({
    media_type: field('Media type, as the sender named it.'),
    size: z.number().nullable().meta({ description: 'Size in bytes, as Microsoft tells it.' }),
    mailbox: field('E-mail address of the mailbox in which the message is.'),
    message_id: field('Message-ID of the message to which the file is attached.'),
  }),
};

export interface OutlookPlace {
  readonly userId: string;
  readonly email: string | undefined;
  /** This is the path of the folder, with slashes. */
  readonly folder: string;
  readonly breadcrumbs: readonly Breadcrumb[];
}

/** Only the owner finds what is in a mailbox. */
const accessOf = ({ email }: OutlookPlace): Access => ({
  viewers: email === undefined ? [] : [`user:${email}`],
  isPublic: false,
});

/** Graph promises that an id is unique within its mailbox. */
export const messageId = ({ userId }: Pick<OutlookPlace, 'userId'>, id: string): string =>
  `${userId}/${id}`;

export function toEntity(message: OutlookMessage, place: OutlookPlace): Entity {
  const received = timeOf(message.receivedDateTime);
  const from = addressesOf([message.from]);
  const to = addressesOf(message.toRecipients);
  const { contentType, content } = message.body ?? {};
  return {
    id: messageId(place, message.id),
    type: MESSAGE,
    name: oneLine(message.subject ?? '', MAX_NAME) || '(no subject)',
    ...(contentType?.toLowerCase() === 'html'
      ? { text: '', html: content ?? '' }
      : { text: content ?? '' }),
    context: `From ${from.join(', ')} to ${to.join(', ')}`.slice(0, MAX_NAME),
    url: message.webLink ?? undefined,
    breadcrumbs: place.breadcrumbs,
    createdAt: sentAt(timeOf(message.sentDateTime), received),
    updatedAt: received,
    access: accessOf(place),
    fields: {
      from,
      to,
      cc: addressesOf(message.ccRecipients),
      mailbox: place.email ?? null,
      folder: place.folder,
      message_id: message.internetMessageId ?? null,
      conversation_id: message.conversationId ?? null,
      received_at: received?.toISOString() ?? null,
    },
  };
}

const addressesOf = (all: OutlookMessage['toRecipients']): string[] =>
  (all ?? []).slice(0, MAX_ADDRESSES).flatMap((one) => {
    const name = oneLine(one?.emailAddress?.name ?? '', 200);
    const address = oneLine(one?.emailAddress?.address ?? '', 320);
    if (name === '' || name === address) return address === '' ? [] : [address];
    return [address === '' ? name : `${name} <${address}>`];
  });

export function timeOf(value: string | null | undefined): Date | undefined {
  const date = new Date(value ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The clock of the sender may be wrong: a message was not sent before 1970, or long after it arrived. */
const sentAt = (sent: Date | undefined, received: Date | undefined): Date | undefined =>
  sent && sent.getTime() > 0 && sent.getTime() < (received?.getTime() ?? Date.now()) + DAY_MS
    ? sent
    : received;
