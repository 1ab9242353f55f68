/**
 * The memory is what earlier pulls have read of a mailbox: the messages with the numbers of their files, of which a
 * listing tells nothing. So a message that is known is not asked for again, and its files are deleted with it. It is
 * stored compressed, and has about 8 bytes for each message.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';

/** Maps ids of messages to the numbers of their files; null stands for a message that the configuration leaves out. */
export type KnownMail = Map<string, readonly string[] | null>;

const StoredMailbox = z.strictObject({
  /** The history up to this record is read. */
  historyId: z.string(),
  /** The names of the labels, as the records have them. */
  names: z.record(z.string(), z.string()),
  /** The memory was made by these rules. */
  rules: z.string(),
  known: z.string(),
});
export type StoredMailbox = z.infer<typeof StoredMailbox>;

/** The keys are the e-mail addresses of the people whose mailboxes are read. Null is a mailbox that is still to be listed. */
const Mailboxes = z.record(z.string(), StoredMailbox.nullable());

export const GmailCursor = z.strictObject({ mailboxes: Mailboxes });
export type GmailCursor = z.infer<typeof GmailCursor>;

/** An interrupted full pull has read `done`, and goes on in the mailbox `current`. */
export const GmailPlace = z.strictObject({
  done: Mailboxes,
  current: z
    .strictObject({
      email: z.string(),
      mailbox: StoredMailbox,
      /** The number of the listing, and the token of its page. */
      listing: z.number(),
      page: z.string().nullable(),
    })
    .nullable(),
});
export type GmailPlace = z.infer<typeof GmailPlace>;

export async function pack(known: KnownMail): Promise<string> {
  const rows = [...known].map(([id, files]) => [id, ...(files ?? [null])]);
  return (await promisify(deflateRaw)(JSON.stringify(rows))).toString('base64');
}

/** The form is not checked, because we have written the memory ourselves. */
export async function unpack(packed: string): Promise<KnownMail> {
  const bytes = await promisify(inflateRaw)(Buffer.from(packed, 'base64'));
  const rows: [string, ...(string | null)[]][] = JSON.parse(bytes.toString());
  return new Map(
    rows.map(([id, ...files]) => [
      id,
      files[0] === null ? null : files.filter((file) => file !== null),
    ]),
  );
}
