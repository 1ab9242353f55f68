/** Recognizes file systems on which another machine may change files without an event on this one. */
import { statfs } from 'node:fs/promises';

/** These numbers are those of `statfs(2)` on Linux (https://man7.org/linux/man-pages/man2/statfs.2.html). */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x786f4256, 'VirtualBox'],
  [0xbacbacbc, 'VMware'],
]);

/** Returns the name of such a file system, or null for another one. On macOS it recognizes none. */
export async function networkDriveOf(
  path: string,
  typeOf: (path: string) => Promise<number> = async (at) => (await statfs(at)).type,
): Promise<string | null> {
  if (path.startsWith('\\\\')) return 'Windows';
  // Node may give the number as a signed one.
  return NAMES.get((await typeOf(path)) >>> 0) ?? null;
}
