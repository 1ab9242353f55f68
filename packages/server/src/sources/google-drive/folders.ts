/**
 * Finds the folders above a file, and decides whether the connection reads the file. Folders are kept in memory, up to a
 * limit, since files of one folder come close to each other.
 */
import { LRUCache } from 'lru-cache';
import type { Breadcrumb } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import { DriveFile, FOLDER, pathOf } from './answer.ts';

const KEPT = 20_000;
/**
 * Google allows 100 levels of folders. The limit also ends a loop of folders, because Google does not promise that
 * there is none.
 */
const DEEPEST = 200;

interface FolderAbove {
  readonly name: string;
  readonly parent: string | undefined;
}

export interface Folders {
  /** Keeps the folders among listed files, so that they are not requested again. */
  note(files: readonly DriveFile[]): void;
  /** Returns the folders above the file, as far as the account may see them, from the root to the parent. */
  above(file: DriveFile): Promise<Breadcrumb[]>;
}

export function openFolders(
  http: Http,
  drives: readonly { readonly id: string; readonly name: string }[],
): Folders {
  const kept = new LRUCache<string, Promise<FolderAbove | null>>({ max: KEPT });
  // Google calls the root of every shared drive "Drive".
  const roots = new Map(drives.map(({ id, name }) => [id, { name, parent: undefined }]));

  function find(id: string): Promise<FolderAbove | null> {
    const root = roots.get(id);
    if (root) return Promise.resolve(root);
    const known = kept.get(id);
    if (known) return known;
    const asked = ask(http, id);
    kept.set(id, asked);
    // After a failed request, the next call requests the folder again.
    asked.catch(() => kept.delete(id));
    return asked;
  }

  return {
    note(files) {
      for (const { id, name, mimeType, parents } of files)
        if (mimeType === FOLDER) kept.set(id, Promise.resolve({ name, parent: parents[0] }));
    },
    async above({ parents }) {
      const found: Breadcrumb[] = [];
      for (let id = parents[0]; id !== undefined && found.length < DEEPEST; ) {
        const folder = await find(id);
        if (!folder) break;
        found.unshift({ id, name: folder.name, type: 'GoogleDriveFolder' });
        id = folder.parent;
      }
      return found;
    },
  };
}

/** Returns null for a folder that the account may not see, although it sees a file in it. */
async function ask(http: Http, id: string): Promise<FolderAbove | null> {
  try {
    const { name, parents } = await fileOf(http, id);
    return { name, parent: parents[0] };
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** Returns the metadata that concern places, of a file, a folder or the root of a shared drive. */
export async function fileOf(http: Http, id: string): Promise<DriveFile> {
  const fields = 'id,name,mimeType,parents,driveId,trashed';
  const request = { path: pathOf(id), query: { fields, supportsAllDrives: true } };
  return (await http.json(request, DriveFile)).value;
}
