/** Finds the folders above an item of a drive. A delta query gives the ids of parents and no paths. */
import type { Breadcrumb } from '../../model/entity.ts';
import { type FolderAbove, openFolders } from '../kit/folders.ts';
import type { Http } from '../kit/http.ts';
import { at } from './collection.ts';
import { DriveItem } from './drive-item.ts';

export interface ItemFolders {
  /** Keeps the folders among listed items, so that they are not asked for. */
  note(items: readonly DriveItem[]): void;
  /** Returns the folders between the root of the drive and the item, as far as the account may see them. */
  above(item: DriveItem): Promise<Breadcrumb[]>;
}

export function openItemFolders(http: Http, driveId: string, type: string): ItemFolders {
  const query = { $select: 'id,name,parentReference,root' };
  const folders = openFolders(type, async (id) => {
    const request = { path: at`drives/${driveId}/items/${id}`, query };
    return folderOf((await http.json(request, DriveItem)).value);
  });
  return {
    note(items) {
      for (const item of items) if (item.root || item.folder) folders.note(item.id, folderOf(item));
    },
    above: ({ parentReference }) => folders.above(parentReference?.id),
  };
}

const folderOf = ({ root, name = '', parentReference }: DriveItem): FolderAbove | null =>
  root ? null : { name, parent: parentReference?.id };
