import { open } from 'node:fs/promises';

/** Without this, a loss of power can undo the new name of a file in the folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
