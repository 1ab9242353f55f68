/**
 * Files that connectors download lie below the data directory until their text is extracted. Each opened source has a
 * folder of its own, which is removed when the source is closed; a read that goes on after that gets no path. A folder
 * that a killed process has left behind is removed when the next worker starts.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { NO_OPTIONAL_KINDS, type OptionalKinds } from '../documents/kinds.ts';

export interface Downloads {
  /** Files of these kinds are worth a download. */
  readonly optional: OptionalKinds;
  /** Returns a path at which no file exists. Throws after `close`. */
  newPath(): Promise<string>;
  /** Removes all files. Throws when they cannot be removed. */
  close(): Promise<void>;
}

/** A read that was stopped may still write its last piece, and the removal is then repeated. */
const REMOVAL = { recursive: true, force: true, maxRetries: 3 } as const;

/** The host is a part of the name, because several machines may share the data directory. */
const prefixOf = (pid: number) => `${encodeURIComponent(hostname())}-${pid}-`;

export function openDownloads(parent: string, optional = NO_OPTIONAL_KINDS): Downloads {
  let folder: Promise<string> | undefined;
  let count = 0;
  let isClosed = false;
  return {
    optional,
    async newPath() {
      if (isClosed) throw new Error('the source is closed, so it downloads no further files');
      folder ??= makeFolder(parent);
      count++;
      // The number is taken before the wait for the folder, because other calls may run during the wait.
      const name = String(count);
      return join(await folder, name);
    },
    async close() {
      isClosed = true;
      // Nothing has to be removed when the folder could not be made. The read that has asked for a path got the error.
      const made = await folder?.catch(() => undefined);
      if (made !== undefined) await rm(made, REMOVAL);
    },
  };
}

async function makeFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return mkdtemp(join(parent, prefixOf(process.pid)));
}

/** Removes the folders of ended processes of this machine, and those that an ended worker of this process has left. */
export async function removeLeftovers(parent: string): Promise<void> {
  const host = `${encodeURIComponent(hostname())}-`;
  const names = await readdir(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const [, pid] = /^(\d+)-[^-]+$/.exec(name.slice(host.length)) ?? [];
    if (!name.startsWith(host) || pid === undefined || isOtherAlive(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isOtherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
