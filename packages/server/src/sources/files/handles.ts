/**
 * These are the handles by which the system reports events in folders. On Linux each folder has one, because only macOS
 * and Windows watch a tree with one handle.
 *
 * A handle follows its folder and not the path. When the folder is deleted, moved or replaced, the handle is stale, and
 * must be opened again.
 */
import { type FSWatcher, watch } from 'node:fs';
import { systemCode } from '../../documents/file-error.ts';
import type { WatchBudget } from '../watching.ts';

export const IS_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';
/** These codes mean that the system gives no more handles. */
const LIMITS: ReadonlyMap<string | null, string> = new Map([
  ['ENOSPC', 'the system watches no more folders: raise fs.inotify.max_user_watches'],
  ['EMFILE', 'the system gives no more watches: raise fs.inotify.max_user_instances'],
  ['ENFILE', 'the system has too many open files'],
]);
/** These codes mean that the folder has gone, or may not be read: then a sync reads nothing in it either. */
const UNREADABLE: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);

/** No further folder can be watched. The message says to people why. */
export class NoMoreHandles extends Error {}

export interface HandleEvent {
  /** The path of the handle's folder, relative to the root. */
  readonly path: string;
  readonly real: string;
  readonly type: string;
  /** Names what has changed in the folder; null when the system does not say it. */
  readonly name: string | null;
}

interface FolderHandle {
  readonly watcher: FSWatcher;
  isStale: boolean;
}

export function createHandles(budget: WatchBudget, tell: (event: HandleEvent) => void) {
  /** The keys are paths relative to the root. */
  const handles = new Map<string, FolderHandle>();

  function close(path: string): void {
    const handle = handles.get(path);
    if (!handle) return;
    handles.delete(path);
    handle.watcher.close();
    budget.giveBack();
  }

  return {
    has: (path: string): boolean => handles.has(path),

    /** Returns false when the folder cannot be read. Throws NoMoreHandles. */
    open(path: string, real: string): boolean {
      if (!budget.take())
        throw new NoMoreHandles('Quarry already watches as many folders as one process may');
      try {
        const watcher = watch(real, { persistent: false, recursive: IS_RECURSIVE });
        const handle = { watcher, isStale: false };
        watcher.on('change', (type, name) =>
          tell({ path, real, type, name: name?.toString() ?? null }),
        );
        watcher.on('error', () => {
          handle.isStale = true;
          tell({ path, real, type: 'rename', name: null });
        });
        handles.set(path, handle);
        return true;
      } catch (error) {
        budget.giveBack();
        const code = systemCode(error);
        if (UNREADABLE.has(code)) return false;
        const limit = LIMITS.get(code);
        if (limit === undefined) throw error;
        throw new NoMoreHandles(limit, { cause: error });
      }
    },

    /** Marks the handles of the folder and of all folders below it. */
    markStale(path: string): void {
      if (!handles.has(path)) return;
      for (const [one, handle] of handles)
        if (one === path || path === '' || one.startsWith(`${path}/`)) handle.isStale = true;
    },

    closeStale(): void {
      for (const [path, { isStale }] of handles) if (isStale) close(path);
    },

    closeExcept(paths: ReadonlyMap<string, unknown>): void {
      for (const path of handles.keys()) if (!paths.has(path)) close(path);
    },

    closeAll(): void {
      for (const path of handles.keys()) close(path);
    },
  };
}
