/**
 * Gives a data directory little room: either a small file system of its own, where this user may mount one, or a
 * limit on the size of files, which every Linux has.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Server } from './process.ts';

const SMALL_KIB = 4096;
/** Every process on this machine sees the file system of this kind. */
export const FILE_SYSTEM = 'a small file system';
const ROOM_KIB = 64 * 1024;

export interface SmallDisk {
  /** A process that is started through this command has little room. */
  readonly through: readonly string[];
  /** Makes room for this process, if it is alive, and for those that are started without `through`. */
  makeRoom(server: Server | undefined): void;
  remove(): void;
}

/** `folder` will be the disk and does not exist yet. `kib` is the room on it in KiB. */
export type MakeDisk = (folder: string, kib?: number) => SmallDisk;

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });

const mounted: MakeDisk = (folder, kib = SMALL_KIB) => {
  mkdirSync(folder);
  run('mount', '-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder);
  return {
    through: [],
    makeRoom: () => void run('mount', '-o', `remount,size=${ROOM_KIB}k`, folder),
    remove: () => void run('umount', folder),
  };
};

const limited: MakeDisk = (folder, kib = SMALL_KIB) => {
  mkdirSync(folder);
  return {
    through: ['bash', '-c', `ulimit -S -f ${kib}; exec "$@"`, 'bash'],
    makeRoom: (server) =>
      server && void run('prlimit', `--pid=${server.child.pid}`, '--fsize=unlimited'),
    remove: () => {},
  };
};

/** Returns the kinds of disks by name. `probe` is a folder that may be made and removed. */
export function smallDisks(probe: string): ReadonlyMap<string, MakeDisk> {
  const disks = new Map([['files that may not grow', limited]]);
  try {
    mounted(probe).remove();
    disks.set(FILE_SYSTEM, mounted);
  } catch (error) {
    // Only root may mount a file system.
    if ((error as { status?: number }).status === undefined) throw error;
  }
  return disks;
}
