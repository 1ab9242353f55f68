/**
 * These are the messages that earlier syncs have read, in the form in which the cursor keeps them. Each message has 9
 * bytes besides its UID: 8 of its key, and the number of its files.
 *
 * A mailbox with the same UIDVALIDITY, UIDNEXT and number of messages has not changed: a new message raises UIDNEXT, and
 * without a new one, the number falls with each message that is gone (RFC 9051, 2.3.1.1). Flags do not count as changes.
 * So neither QRESYNC nor CONDSTORE is needed, and every server works the same way.
 */
import { z } from 'zod';
import type { MailboxStatus } from './mailboxes.ts';

export interface KnownMessage {
  /** The key is the same in every mailbox in which the message is. */
  readonly key: string;
  readonly files: number;
}

export interface KnownMailbox extends MailboxStatus {
  readonly path: string;
  /** Maps UIDs to messages. */
  readonly messages: ReadonlyMap<number, KnownMessage>;
}

/** The mailboxes are in the order in which they were read. */
export type Known = readonly KnownMailbox[];

export const ImapCursor = z.strictObject({
  mailboxes: z.array(
    z.strictObject({
      path: z.string(),
      validity: z.string(),
      next: z.number(),
      exists: z.number(),
      /** Ranges of UIDs, such as 1:40,42. */
      uids: z.string(),
      messages: z.base64(),
    }),
  ),
});
export type ImapCursor = z.infer<typeof ImapCursor>;

const KEY_BYTES = 8;
const BYTES = KEY_BYTES + 1;

/** Makes the key of the first bytes of a digest. */
export const keyOf = (digest: Buffer): string => digest.toString('base64url', 0, KEY_BYTES);

export const pack = (known: Known): ImapCursor => ({
  mailboxes: known.map(({ path, validity, next, exists, messages }) => {
    const packed = Buffer.alloc(messages.size * BYTES);
    let at = 0;
    for (const { key, files } of messages.values()) {
      packed.write(key, at, 'base64url');
      packed[at + KEY_BYTES] = files;
      at += BYTES;
    }
    const uids = toRanges([...messages.keys()]);
    return { path, validity, next, exists, uids, messages: packed.toString('base64') };
  }),
});

export const unpack = ({ mailboxes }: ImapCursor): Known =>
  mailboxes.map(({ uids, messages, ...mailbox }) => {
    const packed = Buffer.from(messages, 'base64');
    const read = new Map<number, KnownMessage>();
    let at = 0;
    for (const uid of fromRanges(uids)) {
      const key = keyOf(packed.subarray(at, at + KEY_BYTES));
      read.set(uid, { key, files: packed[at + KEY_BYTES] ?? 0 });
      at += BYTES;
    }
    return { ...mailbox, messages: read };
  });

function toRanges(uids: readonly number[]): string {
  const ranges: string[] = [];
  for (let i = 0; i < uids.length; i++) {
    const first = uids[i] as number;
    let last = first;
    while (uids[i + 1] === last + 1) {
      last++;
      i++;
    }
    ranges.push(first === last ? `${first}` : `${first}:${last}`);
  }
  return ranges.join(',');
}

/** The ranges may be endless, because a server has sent them. */
export function* fromRanges(ranges: string): Generator<number> {
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [first = 0, last = first] = range.split(':').map(Number);
    for (let uid = first; uid <= last; uid++) yield uid;
  }
}
