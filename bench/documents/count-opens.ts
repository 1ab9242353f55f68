/**
 * This file is loaded into every thread of the service before the thread's own code (`--import`). It appends one byte to
 * the file BENCH_OPENS for each time that a file below BENCH_FOLDER is opened.
 */
import { appendFileSync, existsSync, statSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { BENCH_OPENS, BENCH_FOLDER } = process.env;
const { open } = promises;

if (BENCH_OPENS !== undefined && BENCH_FOLDER !== undefined) {
  const folder = `${BENCH_FOLDER}/`;
  promises.open = (path, ...rest) => {
    if (String(path).startsWith(folder)) appendFileSync(BENCH_OPENS, '.');
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
