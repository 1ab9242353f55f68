/** The files of an embedded database are for the user of the service alone, also in a folder that others may read. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

const PRIVATE = 0o600;
const OTHERS = 0o077;

/**
 * Makes the file if it is missing, because SQLite would let the umask decide who reads it, and takes a file that exists
 * from others. SQLite gives the files beside it (-wal, -shm) the mode of the file when it makes them.
 */
export function keepPrivate(path: string): void {
  try {
    if (!statSync(path, { throwIfNoEntry: false })) makeFile(path);
    for (const end of ['', '-wal', '-shm']) takeFromOthers(`${path}${end}`);
  } catch {
    // The folder is missing, the disk is full, or nothing can be written there. SQLite meets the same obstacle when it
    // opens the file or writes to it, and callers know its errors.
  }
}

/** Only a new file is opened: closing any handle of a database would free all locks that this process holds on it. */
const makeFile = (path: string): void => closeSync(openSync(path, 'wx', PRIVATE));

function takeFromOthers(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // Only its owner may change the mode of a file. Windows has no such modes, and no user ids.
  if (found && found.mode & OTHERS && found.uid === process.getuid?.()) chmodSync(path, PRIVATE);
}
