/** Finds the folders above a file. */
import type { Breadcrumb } from '../../model/entity.ts';
import { type FolderAbove, openFolders } from '../kit/folders.ts';
import type { Http } from '../kit/http.ts';
import { DriveFile, FOLDER, pathOf } from './answer.ts';

export interface DriveFolders {
  /** Keeps the folders among listed files, so that they are not requested again. */
  note(files: readonly DriveFile[]): void;
  /** Returns the folders above the file, as far as the account may see them, from the root to the parent. */
  above(file: DriveFile): Promise<Breadcrumb[]>;
}

export function openDriveFolders(
  http: Http,
  drives: readonly { readonly id: string; readonly name: string }[],
): DriveFolders {
  // Google calls the root of every shared drive "Drive".
  const roots = new Map(drives.map(({ id, name }) => [id, { name, parent: undefined }]));
  const folders = openFolders(
    'GoogleDriveFolder',
    async (id) => roots.get(id) ?? folderOf(await fileOf(http, id)),
  );
  return {
    note(files) {
      for (const file of files) if (file.mimeType === FOLDER) folders.note(file.id, folderOf(file));
    },
    above: ({ parents }) => folders.above(parents[0]),
  };
}

const folderOf = ({ name, parents }: DriveFile): FolderAbove => ({ name, parent: parents[0] });

/** Returns the metadata that concern places, of a file, a folder or the root of a shared drive. */
export async function fileOf(http: Http, id: string): Promise<DriveFile> {
  const fields = 'id,name,mimeType,parents,driveId,trashed';
  const request = { path: pathOf(id), query: { fields, supportsAllDrives: true } };
  return (await http.json(request, DriveFile)).value;
}
