/** Makes the folder of temporary files of tests and simulators. */
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** The databases of the tests take less than this, and containers often give their memory disk much less. */
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * Returns a new folder. It is in memory where there is room, because a disk takes milliseconds for each commit of a
 * database. From now on `tmpdir()` of this process and of its children is this folder.
 */
export function makeTemporary(): string {
  const hasRoom = existsSync(MEMORY) && roomIn(MEMORY) >= ROOM_BYTES;
  const folder = mkdtempSync(join(hasRoom ? MEMORY : tmpdir(), 'quarry-tests-'));
  // The server of PostgreSQL may run as another user, who must reach its own folder inside this one.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return folder;
}

function roomIn(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
