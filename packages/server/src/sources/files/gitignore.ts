/** Reads the .gitignore of a folder. */
import { join } from 'node:path';
import { SourceError } from '../../errors.ts';
import { openPlain } from './open-plain.ts';

const MAX_BYTES = 1024 * 1024;

export async function readGitignore(folder: string): Promise<string | null> {
  await using file = await openPlain(join(folder, '.gitignore'));
  if (!file) return null;
  if ((await file.stat()).size > MAX_BYTES)
    throw new SourceError('skip', 'the folder cannot be read: its .gitignore is too large', {
      hint: `A .gitignore holds at most ${MAX_BYTES} bytes.`,
    });
  return file.readFile('utf8');
}
