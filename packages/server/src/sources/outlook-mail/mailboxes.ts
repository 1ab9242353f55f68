/** Finds the mailboxes of a connection, and the folders of each that are read. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { digestOf } from '../../model/hash.ts';
import { lost, type SourceItem, skip } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import {
  at,
  collection,
  eachAtOnce,
  encoded,
  optional,
  text,
  wholeCollection,
} from '../microsoft/collection.ts';
import type { DeltaMemory } from '../microsoft/delta-cursor.ts';
import type { DeltaPart } from '../microsoft/delta-pages.ts';
import { emailOf, GraphPerson, needs, personOf } from '../microsoft/entra.ts';
import { NoMailbox } from '../microsoft/refusal.ts';
import { chooseFolders, type MailFolder, WELL_KNOWN } from './folders.ts';
import { type OutlookPlace, SELECT } from './message.ts';

/** Messages keep these ids when they move to another folder (https://learn.microsoft.com/graph/outlook-immutable-id). */
export const IMMUTABLE = { prefer: 'IdType="ImmutableId"' };

const folderNames = z.array(z.string().min(1).max(1000)).max(1000);

export const OutlookConfig = z.strictObject({
  included_folders: folderNames.default([]).meta({
    title: 'Included folders',
    description:
      'Folders that are read with those below them: well-known names such as inbox and sentitems, or paths such as Projects/Acme. Without any, all folders are read except the excluded ones.',
    options: true,
  }),
  excluded_folders: folderNames.default(['drafts', 'junkemail', 'deleteditems']).meta({
    title: 'Excluded folders',
    description: 'Folders that are not read, with those below them.',
    options: true,
  }),
  after_date: z.iso.date().optional().meta({
    title: 'After',
    description: 'Only messages that arrived on this day or later are read, such as 2025-01-31.',
  }),
  mailboxes: z.array(z.email()).max(10_000).default([]).meta({
    title: 'Mailboxes',
    description:
      'Addresses of the mailboxes that an app reads. Without any, it reads those of all people in the organization.',
  }),
});
export type OutlookConfig = z.infer<typeof OutlookConfig>;

/** One folder of one mailbox is a part, because Graph has a delta for each folder. */
export interface MailPart extends DeltaPart {
  /** The mailbox of the folder. */
  readonly space: string;
  readonly place: OutlookPlace;
}

const spaceOf = ({ userId }: Pick<OutlookPlace, 'userId'>): string => encoded(userId);
export const partitionOf = (owner: Pick<OutlookPlace, 'userId'>, folderId: string): string =>
  `${spaceOf(owner)}/${encoded(folderId)}`;

interface Owner {
  readonly userId: string;
  readonly email: string | undefined;
  /** This is the person who has signed in. */
  readonly isMe: boolean;
}

const User = GraphPerson.extend({ id: z.string(), userType: text });
const Folder = z.object({
  id: z.string(),
  '@odata.type': text,
  '@removed': optional(z.unknown()),
  displayName: text,
  parentFolderId: optional(z.string()),
});
const SEARCH_FOLDER = '#microsoft.graph.mailSearchFolder';
const PERSON = { $select: 'id,mail,userPrincipalName,userType' };

/** A check looks at few mailboxes, so a sync with many addresses asks for so many of them together. */
const ADDRESSES_AT_ONCE = 20;

class NobodyThere extends SourceError {
  readonly address: string;
  constructor(address: string, cause: SourceError) {
    const message = `the organization has no person '${address}': correct the mailboxes`;
    super('config', message, { cause });
    this.address = address;
  }
}

/** Yields the owners of the mailboxes, and an error for each address that nobody has. */
async function* foundOwners(
  http: Http,
  { mailboxes }: OutlookConfig,
): AsyncGenerator<Owner | NobodyThere, void, void> {
  const me = await personOf(http);
  if (me?.id !== undefined) yield { userId: me.id, email: emailOf(me), isMe: true } as Owner;
  else if (mailboxes.length > 0)
    for (let i = 0; i < mailboxes.length; i += ADDRESSES_AT_ONCE)
      yield* await eachAtOnce(mailboxes.slice(i, i + ADDRESSES_AT_ONCE), (address) =>
        ownerAt(http, address),
      );
  else
    for await (const user of collection(
      http,
      { path: at`users`, query: { ...PERSON, $top: 999 } },
      User,
    ))
      if (user.userType !== 'Guest') yield ownerOf(user);
}

/** Yields the owners of the mailboxes. Throws a SourceError 'config' when nobody has one of the addresses. */
export async function* ownersOf(
  http: Http,
  config: OutlookConfig,
): AsyncGenerator<Owner, void, void> {
  for await (const owner of foundOwners(http, config)) {
    if (owner instanceof NobodyThere) throw owner;
    yield owner;
  }
}

const ownerOf = (user: z.infer<typeof User>): Owner => ({
  userId: user.id,
  email: emailOf(user),
  isMe: false,
});

async function ownerAt(http: Http, address: string): Promise<Owner | NobodyThere> {
  try {
    return ownerOf((await http.json({ path: at`users/${address}`, query: PERSON }, User)).value);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return new NobodyThere(address, error);
  }
}

export interface FoundMailboxes {
  readonly parts: readonly MailPart[];
  /** These are the partitions of folders that are not read. */
  readonly others: readonly string[];
  /** These are mailboxes that are left out, or that could not be looked into. */
  readonly unseen: readonly SourceItem[];
}

/** `memory` keeps the ids of well-known folders, which never change. */
export async function partsOf(
  http: Http,
  config: OutlookConfig,
  { memory, known }: { readonly memory: DeltaMemory; readonly known: readonly string[] },
): Promise<FoundMailboxes> {
  const owners: Owner[] = [];
  const missing: NobodyThere[] = [];
  for await (const owner of foundOwners(http, config))
    if (owner instanceof NobodyThere) missing.push(owner);
    else owners.push(owner);
  if (owners.length === 0 && missing[0]) throw missing[0];
  const found = await eachAtOnce(owners, async (owner) => {
    try {
      return { ...(await foldersIn(http, owner, { config, memory })), unseen: [], error: null };
    } catch (error) {
      if (owner.isMe || !(error instanceof SourceError) || error.kind !== 'skip') throw error;
      return { parts: [], others: [], unseen: [leftOut(owner, error, known)], error };
    }
  });
  const parts = found.flatMap((one) => one.parts);
  const refused = found.find(({ error }) => error && !(error instanceof NoMailbox))?.error;
  // An app that may read nothing does not know what is gone.
  if (refused && found.every(({ error }) => error !== null)) throw closed(refused);
  return {
    parts,
    others: found.flatMap(({ others }) => others),
    unseen: [...found.flatMap(({ unseen }) => unseen), ...missing.map(goneFrom)],
  };
}

/** The records of somebody who has left the organization, or has another address by now, are removed. */
const goneFrom = ({ address }: NobodyThere) =>
  skip(address, 'OutlookMailbox', {
    reason: 'no such person',
    detail: address,
    hint: 'Correct the mailboxes of the connection, or take the address out.',
  });

const closed = (cause: SourceError) =>
  new SourceError('config', `no mailbox can be read: ${cause.message}`, {
    hint: 'Grant Mail.Read to the app at Microsoft Entra, with the consent of an administrator, or open mailboxes to it at Exchange Online.',
    cause,
  });

function leftOut({ userId, email = userId }: Owner, error: SourceError, known: readonly string[]) {
  const partition = spaceOf({ userId });
  if (error instanceof NoMailbox)
    return skip(userId, 'OutlookMailbox', { reason: 'without a mailbox', detail: email });
  // An administrator may close a mailbox by mistake, so the records of one that was read before stay.
  if (known.some((one) => one.startsWith(`${partition}/`))) return lost(partition, error);
  return skip(userId, 'OutlookMailbox', {
    reason: 'closed to the app',
    detail: email,
    hint: 'An administrator of Exchange Online limits the mailboxes that an app may read.',
  });
}

/** Returns the folders of a mailbox that are read, and the partitions of the others. */
export async function foldersIn(
  http: Http,
  { userId, email }: Pick<Owner, 'userId' | 'email'>,
  { config, memory }: { readonly config: OutlookConfig; readonly memory: DeltaMemory },
): Promise<Pick<FoundMailboxes, 'parts' | 'others'>> {
  const folders = await listFolders(http, userId);
  const choice = { included: config.included_folders, excluded: config.excluded_folders };
  const names = new Set([...choice.included, ...choice.excluded]);
  await eachAtOnce([...names], async (name) => {
    const key = `${userId}/${name}`;
    if (WELL_KNOWN.includes(name)) memory[key] ??= await wellKnown(http, userId, name);
  });
  const chosen = chooseFolders(folders, choice, (name) => memory[`${userId}/${name}`]);
  const ids = new Set(chosen.map(({ id }) => id));
  const parts = chosen.map((folder) => ({
    partition: partitionOf({ userId }, folder.id),
    path: `${at`users/${userId}/mailFolders/${folder.id}/messages/delta`}?$select=${SELECT}`,
    name: digestOf([folder.path, email]),
    space: spaceOf({ userId }),
    place: { userId, email, folder: folder.path, breadcrumbs: folder.breadcrumbs },
  }));
  const others = folders.filter(({ id }) => !ids.has(id));
  return { parts, others: others.map(({ id }) => partitionOf({ userId }, id)) };
}

/**
 * A delta without a link lists all folders at once, whereas other listings must be asked for each folder. It may name a
 * folder twice, and the last time counts, and folders that are gone. What is in a search folder is in others.
 */
export async function listFolders(http: Http, userId: string): Promise<MailFolder[]> {
  const path = at`users/${userId}/mailFolders/delta`;
  const query = { $select: 'id,displayName,parentFolderId' };
  const all = await wholeCollection(http, { path, query, headers: IMMUTABLE }, Folder);
  return [...new Map(all.map((folder) => [folder.id, folder])).values()]
    .filter((one) => !one['@removed'] && one['@odata.type'] !== SEARCH_FOLDER)
    .map(({ id, displayName, parentFolderId }) => ({
      id,
      name: displayName || id,
      parent: parentFolderId,
    }));
}

/** Returns '' when the mailbox does not have the folder. */
async function wellKnown(http: Http, userId: string, name: string): Promise<string> {
  const path = at`users/${userId}/mailFolders/${name}`;
  const request = { path, query: { $select: 'id' }, headers: IMMUTABLE };
  try {
    return (await http.json(request, z.object({ id: z.string() }))).value.id;
  } catch (error) {
    if (error instanceof NotFound) return '';
    throw error;
  }
}

/** A check takes a person's time, so it tries only this many mailboxes. The sync looks at all of them. */
const CHECKED = 20;

/** Throws a SourceError 'config' when no mailbox can be read, or when a person does not have a chosen folder. */
export const checkMailboxes = (http: Http, config: OutlookConfig): Promise<void> =>
  needs('User.ReadBasic.All', tryMailboxes(http, config));

async function tryMailboxes(http: Http, config: OutlookConfig): Promise<void> {
  const refusals: SourceError[] = [];
  for await (const owner of ownersOf(http, config)) {
    if (refusals.length === CHECKED) return;
    try {
      const { parts } = await foldersIn(http, owner, { config, memory: {} });
      if (parts.length > 0 || !owner.isMe) return;
      throw new SourceError(
        'config',
        'the mailbox has none of the chosen folders: correct the included and excluded folders',
      );
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals.toSorted((a, b) => rank(a) - rank(b));
  if (!first)
    throw new SourceError('config', 'the organization has nobody whose mailbox could be read');
  throw closed(first);
}

const rank = (error: SourceError) => (error instanceof NoMailbox ? 1 : 0);
