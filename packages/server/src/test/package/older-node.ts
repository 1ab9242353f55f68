import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Finds Node 20 to 23 on the PATH, where this project's newer Node may come first. */
export async function olderNode(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'node');
    if (!existsSync(path)) continue;
    const { stdout } = await run(path, ['--version']);
    const major = Number(/^v(\d+)/.exec(stdout)?.[1]);
    if (major >= 20 && major < 24) return path;
  }
  return undefined;
}
