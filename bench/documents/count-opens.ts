/**
 * This file is loaded into every thread of the service before the thread's own code (`--import`). It appends one byte to
 * the file BENCH_OPENS for each time that a document below BENCH_FOLDER is opened. Hidden files, such as `.gitignore`, are
 * not documents.
 */
import { appendFileSync, existsSync, statSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const { BENCH_OPENS, BENCH_FOLDER } = process.env;
const { open } = promises;

if (BENCH_OPENS !== undefined && BENCH_FOLDER !== undefined) {
  const folder = `${BENCH_FOLDER}/`;
  promises.open = (path, ...rest) => {
    const name = String(path);
    if (name.startsWith(folder) && !basename(name).startsWith('.'))
      appendFileSync(BENCH_OPENS, '.');
    return open(path, ...rest);
  };
  syncBuiltinESMExports();
}

/** Returns the environment variables with which a service counts the files that it opens in this folder. */
export const countingOpens = (folder: string, into: string) => ({
  NODE_OPTIONS: `--import ${import.meta.url}`,
  BENCH_OPENS: into,
  BENCH_FOLDER: folder,
});

export const opensIn = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
