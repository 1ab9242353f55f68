/**
 * Follows the mailboxes. What is known of them is compared with what the server has, mailbox by mailbox: UIDs that are
 * not known yet are asked for, and messages whose UIDs are gone from all mailboxes are removed. A full pull is the same
 * with nothing known, and one that goes on at a bookmark is the same with what the earlier attempt has read.
 *
 * A message that is in several mailboxes is one record, in the first of them. When the first copy is gone, the record
 * moves to the next one.
 *
 * At the end, the server is asked once more. What changed meanwhile is read at once, so a message that was moved from a
 * mailbox that was still to be read into one that had been read is not taken for deleted. In busy mailboxes something always
 * changes, so the last deletions are then left to the next sync.
 */
import type { Access } from '../../model/entity.ts';
import type { PullContext } from '../define.ts';
import { checkpoint, listed, remove, type SourceItem } from '../items.ts';
import { type ImapCursor, type Known, pack, unpack } from './known.ts';
import { listMailboxes, type Mailbox } from './mailboxes.ts';
import { fileId, messageId, partitionOf } from './message.ts';
import { ImapPlace, isSame, lookAt, type MailItems, type MailPull } from './round.ts';
import type { ImapSession } from './session.ts';
import type { ImapConfig, ImapCredentials } from './settings.ts';

/** The mailboxes are looked at this often at most, because in busy ones something always changes. */
const ROUNDS = 3;
export type ImapPullContext = PullContext<ImapConfig, ImapCredentials, ImapCursor>;

export async function* pull(
  { cursor, bookmark: interrupted, config }: ImapPullContext,
  session: ImapSession,
  access: Access,
): MailItems {
  const place = interrupted === null ? null : ImapPlace.parse(interrupted);
  const start = place ?? cursor;
  const state: MailPull = {
    session,
    config,
    access,
    isFull: cursor === null,
    gone: new Map(Object.entries(place?.gone ?? {})),
    swept: new Set(),
    lost: new Set(),
    round: 0,
    isResumed: place !== null,
  };
  let known: Known = start ? unpack(start) : [];
  let before = known;
  for (; state.round < ROUNDS; state.round++) {
    const mailboxes = await listMailboxes(session, config.folders);
    const mustLook = state.round === 0 && state.isFull;
    if (!mustLook && isUnchanged(known, mailboxes, state.lost)) {
      if (state.round === 0) return;
      break;
    }
    before = known;
    known = yield* lookAt(mailboxes, known, state);
  }
  if (state.round === ROUNDS) {
    const mailboxes = await listMailboxes(session, config.folders);
    if (!isUnchanged(known, mailboxes, state.lost)) known = keepGone(known, before, state);
  }
  yield* deletions(known, state);
  yield checkpoint(pack(known));
}

/**
 * A message that the last round has missed may be in a mailbox that has changed since then. So it stays known, and the
 * next sync looks for it: a mailbox of which more messages are known than it has is read again.
 */
function keepGone(known: Known, before: Known, { gone }: MailPull): Known {
  const earlier = new Map(before.map(({ path, messages }) => [path, messages]));
  return known.map((mailbox) => {
    const messages = new Map(mailbox.messages);
    for (const [uid, message] of earlier.get(mailbox.path) ?? [])
      if (!messages.has(uid) && gone.delete(message.key)) messages.set(uid, message);
    const exists = mailbox.exists + messages.size - mailbox.messages.size;
    return { ...mailbox, exists, messages: new Map([...messages].toSorted(([a], [b]) => a - b)) };
  });
}

/** A full pull lists every mailbox whole, perhaps in several attempts. */
function* deletions(known: Known, { isFull, gone, swept, lost }: MailPull): Generator<SourceItem> {
  for (const [key, { files }] of gone) {
    yield remove(messageId(key));
    for (let number = 1; number <= files; number++) yield remove(fileId(key, number));
  }
  const whole = new Set([...swept, ...(isFull ? known.map(({ path }) => path) : [])]);
  for (const path of whole) if (!lost.has(path)) yield listed(partitionOf(path));
}

function isUnchanged(
  known: Known,
  mailboxes: readonly Mailbox[],
  lost: ReadonlySet<string>,
): boolean {
  const byPath = new Map(known.map((one) => [one.path, one]));
  const present = mailboxes.filter(({ path }) => !lost.has(path));
  return (
    known.filter(({ path }) => !lost.has(path)).length === present.length &&
    present.every((mailbox) => isSame(byPath.get(mailbox.path), mailbox))
  );
}
