/** Prepares the folder of the embedded database and of stored files. */
import { accessSync, constants, mkdirSync } from 'node:fs';

/** Throws an Error with a sentence when the directory cannot be made or written. */
export function prepareDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new Error(
      `the data directory ${path} cannot be used (${(error as Error).message}): choose another with --data-dir`,
      { cause: error },
    );
  }
}
