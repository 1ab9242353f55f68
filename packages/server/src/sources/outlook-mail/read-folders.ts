/**
 * Knows which folders are read. People make folders while a pull runs, and move messages there. So when a message is in a
 * folder that the pull has not met, the folders of its mailbox are listed once more.
 */
import type { Http } from '../kit/http.ts';
import type { DeltaMemory } from '../microsoft/delta-cursor.ts';
import {
  type FoundMailboxes,
  foldersIn,
  type MailPart,
  type OutlookConfig,
  partitionOf,
} from './mailboxes.ts';

export interface ReadFolders {
  /** Returns whether this folder of the mailbox in which the part is is read. */
  isRead(part: MailPart, folderId: string): Promise<boolean>;
  /** Lists the folders of a mailbox that are read now. */
  partsIn(space: string): Promise<readonly MailPart[]>;
}

export function openReadFolders(
  http: Http,
  { parts, others }: Pick<FoundMailboxes, 'parts' | 'others'>,
  settings: { readonly config: OutlookConfig; readonly memory: DeltaMemory },
): ReadFolders {
  const reads = new Map(parts.map(({ partition }) => [partition, true]));
  for (const partition of others) reads.set(partition, false);
  const places = new Map(parts.map(({ space, place }) => [space, place]));

  async function partsIn(space: string): Promise<readonly MailPart[]> {
    const place = places.get(space);
    if (!place) return [];
    const now = await foldersIn(http, place, settings);
    for (const { partition } of now.parts) reads.set(partition, true);
    for (const partition of now.others) reads.set(partition, false);
    return now.parts;
  }

  const asking = new Map<string, Promise<boolean>>();
  return {
    async isRead({ space, place }, folderId) {
      const partition = partitionOf(place, folderId);
      const known = reads.get(partition);
      if (known !== undefined) return known;
      // Exchange has folders that it never lists, such as the one of recoverable messages.
      const ask = () => partsIn(space).then(() => reads.get(partition) ?? false);
      const asked = asking.get(partition) ?? ask();
      asking.set(partition, asked);
      return asked;
    },
    partsIn,
  };
}
