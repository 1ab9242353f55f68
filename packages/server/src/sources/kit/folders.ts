/**
 * Finds the folders above a record of a service that tells only the parent of each, since a renamed folder changes the
 * paths of everything below it. Folders are kept in memory, up to a limit, because records of one folder come close to
 * each other.
 */
import { LRUCache } from 'lru-cache';
import type { Breadcrumb } from '../../model/entity.ts';
import { NotFound } from './refusal.ts';

const KEPT = 20_000;
/**
 * Google allows 100 levels of folders, and SharePoint paths of 400 characters. The limit also ends a loop of folders,
 * because no service promises that there is none.
 */
const DEEPEST = 200;

export interface FolderAbove {
  readonly name: string;
  readonly parent: string | undefined;
}

export interface Folders {
  /** Keeps a folder that a listing has shown, so that it is not asked for. The root of a service has no folder. */
  note(id: string, folder: FolderAbove | null): void;
  /** Returns the folders from the root to the parent, as far as the account may see them. */
  above(parent: string | undefined): Promise<Breadcrumb[]>;
}

/** `ask` reads one folder, and throws NotFound for one that the account may not see. It returns null for the root. */
export function openFolders(
  type: string,
  ask: (id: string) => Promise<FolderAbove | null>,
): Folders {
  const kept = new LRUCache<string, { readonly folder: Promise<FolderAbove | null> }>({
    max: KEPT,
  });

  async function askIfSeen(id: string): Promise<FolderAbove | null> {
    try {
      return await ask(id);
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  function find(id: string): Promise<FolderAbove | null> {
    const known = kept.get(id);
    if (known) return known.folder;
    const folder = askIfSeen(id);
    kept.set(id, { folder });
    // After a failed request, the next call asks for the folder again.
    folder.catch(() => kept.delete(id));
    return folder;
  }

  return {
    note(id, folder) {
      kept.set(id, { folder: Promise.resolve(folder) });
    },
    async above(parent) {
      const found: Breadcrumb[] = [];
      for (let id = parent; id !== undefined && found.length < DEEPEST; ) {
        const folder = await find(id);
        if (!folder) break;
        found.unshift({ id, name: folder.name, type });
        id = folder.parent;
      }
      return found;
    },
  };
}
