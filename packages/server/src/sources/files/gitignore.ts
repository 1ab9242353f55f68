/** The .gitignore of a folder. Like Git, it is not read through a link. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../documents/file-error.ts';
import { SourceError } from '../../errors.ts';

const MOST_BYTES = 1024 * 1024;
/** There is none, or something else has the name. */
const NONE: ReadonlySet<string | null> = new Set(['ENOENT', 'ELOOP', 'ENXIO']);

export async function readGitignore(folder: string): Promise<string | null> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(join(folder, '.gitignore'), flags);
    const stat = await file.stat();
    if (!stat.isFile()) return null;
    if (stat.size > MOST_BYTES)
      throw new SourceError('skip', 'the folder cannot be read: its .gitignore is too large', {
        hint: `A .gitignore holds at most ${MOST_BYTES} bytes.`,
      });
    return await file.readFile('utf8');
  } catch (error) {
    if (NONE.has(systemCode(error))) return null;
    throw error;
  }
}
