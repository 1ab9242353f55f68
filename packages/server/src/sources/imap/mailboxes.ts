/**
 * Chooses the mailboxes that are read, and puts them in order. When a message is in several mailboxes, it belongs to the
 * first of them, so mailboxes that collect messages of others (all mail, flagged, important) come last.
 */
import type { ListResponse } from 'imapflow';
import { SourceError, shown } from '../../errors.ts';
import type { Breadcrumb } from '../../model/entity.ts';
import type { FieldOption } from '../define.ts';
import type { ImapSession } from './session.ts';

export interface Mailbox {
  readonly path: string;
  /** The server may not tell the state of a mailbox that the account must not open. */
  readonly status: MailboxStatus | null;
  readonly breadcrumbs: readonly Breadcrumb[];
}

export interface MailboxStatus {
  readonly validity: string;
  readonly next: number;
  readonly exists: number;
}

const LEFT_OUT = new Set(['\\Trash', '\\Junk', '\\Drafts']);
const COLLECTING = new Set(['\\All', '\\Flagged', '\\Important']);

const maySelect = ({ flags }: ListResponse) =>
  !flags.has('\\Noselect') && !flags.has('\\NonExistent');

/**
 * Lists the mailboxes to read. A chosen mailbox is read with those below it. Without a choice, all of the account are
 * read, but not those of other people. Of the mailboxes from here up to the root, the nearest that was chosen, or that
 * is left out because of its use, decides.
 */
export async function listMailboxes(
  session: ImapSession,
  chosen: readonly string[] | undefined,
): Promise<Mailbox[]> {
  const all = await session.list();
  const byPath = new Map(all.map((one) => [one.path, one]));
  const wanted = new Set(chosen?.map(normalized));
  const isRead = (box: ListResponse): boolean => {
    for (const path of lineage(box).toReversed()) {
      if (wanted.has(path)) return true;
      if (LEFT_OUT.has(byPath.get(path)?.specialUse ?? '')) return false;
    }
    return chosen === undefined && !session.foreignPrefixes.some((one) => box.path.startsWith(one));
  };
  const read = all.filter((box) => maySelect(box) && isRead(box));
  if (read.length === 0)
    throw new SourceError(
      'config',
      chosen
        ? `the account has none of the folders ${shown(chosen.join(', '))}`
        : 'the server lists no folders',
    );
  return read.toSorted(inOrder).map((box) => ({
    path: box.path,
    status: statusOf(box),
    breadcrumbs: lineage(box).map((path) => ({
      id: `folder/${path}`,
      name: box.delimiter ? (path.split(box.delimiter).at(-1) ?? path) : path,
      type: 'folder',
    })),
  }));
}

/** Throws a SourceError 'config' when the account does not have one of the chosen mailboxes. */
export async function checkMailboxes(
  session: ImapSession,
  chosen: readonly string[] = [],
): Promise<void> {
  const paths = new Set((await session.list()).map(({ path }) => path));
  const missing = chosen.find((path) => !paths.has(normalized(path)));
  if (missing !== undefined)
    throw new SourceError('config', `the account has no folder ${shown(missing)}`);
}

export const optionsOf = (all: readonly ListResponse[]): FieldOption[] =>
  all.filter(maySelect).map(({ path, specialUse, status }) => ({
    value: path,
    title: path,
    description: [
      status?.messages === undefined ? [] : `${status.messages} messages`,
      LEFT_OUT.has(specialUse ?? '') ? 'left out unless it is chosen' : [],
    ]
      .flat()
      .join(', '),
  }));

/** INBOX is the only name in which capital and small letters are the same. */
const normalized = (path: string) => (path.toUpperCase() === 'INBOX' ? 'INBOX' : path);

/** Returns the paths from the root to this mailbox, which is the last one. */
function lineage({ path, delimiter }: ListResponse): string[] {
  if (!delimiter) return [path];
  const names = path.split(delimiter);
  return names.map((_, i) => names.slice(0, i + 1).join(delimiter));
}

function inOrder(a: ListResponse, b: ListResponse): number {
  const rank = ({ specialUse = '' }: ListResponse) =>
    specialUse === '\\Inbox' ? 0 : COLLECTING.has(specialUse) ? 2 : 1;
  return rank(a) - rank(b) || (a.path < b.path ? -1 : 1);
}

function statusOf({ status }: ListResponse): MailboxStatus | null {
  const { messages, uidNext, uidValidity } = status ?? {};
  if (messages === undefined || uidNext === undefined || uidValidity === undefined) return null;
  return { validity: String(uidValidity), next: uidNext, exists: messages };
}
