/**
 * Finds the folders above an item of a drive. A delta query gives the ids of parents and no paths, since a renamed folder
 * changes the paths of everything below it. ItemFolders are kept in memory, up to a limit, because items of one folder come
 * close to each other.
 */
import { LRUCache } from 'lru-cache';
import type { Breadcrumb } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import { at } from './collection.ts';
import { DriveItem } from './drive-item.ts';

const KEPT = 20_000;
/** SharePoint allows paths of 400 characters. The limit also ends a loop of folders, which must not exist. */
const DEEPEST = 200;

type ItemFolder = { readonly name: string; readonly parent: string | undefined };

export interface ItemFolders {
  /** Keeps the folders among listed items, so that they are not asked for. */
  note(items: readonly DriveItem[]): void;
  /** Returns the folders between the root of the drive and the item, as far as the account may see them. */
  above(item: DriveItem): Promise<Breadcrumb[]>;
}

export function openFolders(http: Http, driveId: string, type: string): ItemFolders {
  /** The value null is the root of the drive, or a folder that the account may not see. */
  const kept = new LRUCache<string, Promise<ItemFolder> | Promise<null>>({ max: KEPT });
  const folderOf = ({ root, name = '', parentReference }: DriveItem): ItemFolder | null =>
    root ? null : { name, parent: parentReference?.id };

  async function ask(id: string): Promise<ItemFolder | null> {
    const query = { $select: 'id,name,parentReference,root' };
    try {
      return folderOf(
        (await http.json({ path: at`drives/${driveId}/items/${id}`, query }, DriveItem)).value,
      );
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  function find(id: string): Promise<ItemFolder | null> {
    const known = kept.get(id);
    if (known) return known;
    const asked = ask(id);
    kept.set(id, asked as Promise<ItemFolder>);
    // After a failed request, the next call asks again.
    asked.catch(() => kept.delete(id));
    return asked;
  }

  return {
    note(items) {
      for (const item of items)
        if (item.root || item.folder)
          kept.set(item.id, Promise.resolve(folderOf(item)) as Promise<ItemFolder>);
    },
    async above({ parentReference }) {
      const found: Breadcrumb[] = [];
      for (let id = parentReference?.id; id !== undefined && found.length < DEEPEST; ) {
        const folder = await find(id);
        if (!folder) break;
        found.unshift({ id, name: folder.name, type });
        id = folder.parent;
      }
      return found;
    },
  };
}
