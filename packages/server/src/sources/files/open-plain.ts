/**
 * Opens the small files that decide whether a folder is left out. Like Git, it does not follow a link to such a file.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from '../../documents/file-error.ts';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** These error codes mean that the file does not exist, or that its name belongs to a link, a socket or the like. */
const NONE: ReadonlySet<string | null> = new Set(['ENOENT', 'ELOOP', 'ENXIO']);

/** Returns null when the path does not lead to a regular file. */
export async function openPlain(path: string): Promise<FileHandle | null> {
  const file = await open(path, FLAGS).catch((error: unknown) => {
    if (NONE.has(systemCode(error))) return null;
    throw error;
  });
  if (!file || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}
