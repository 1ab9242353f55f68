/**
 * A service with an embedded database keeps its last log lines in its data directory, for `quarry logs`. Lines are few,
 * because requests are not logged, so each is appended by itself. The threads of the service append to the same file.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';

const MAX_BYTES = 5_000_000;

/** Returns null when several processes may share the database, and each machine collects their logs itself. */
export const logFileOf = ({
  QUARRY_DATA_DIR,
  DATABASE_URL,
}: Pick<Config, 'QUARRY_DATA_DIR' | 'DATABASE_URL'>): string | null =>
  DATABASE_URL === undefined ? join(QUARRY_DATA_DIR, 'quarry.log') : null;

/** Returns the path of the file with the lines before those of the log file. */
export const olderLogOf = (file: string): string => `${file}.1`;

let isFailing = false;

/** A log that cannot be written must not end the service. The operator reads the reason once, on standard error. */
export function appendToLog(file: string, line: string): void {
  try {
    // If two threads rename at once, the older lines are lost.
    if (sizeOf(file) > MAX_BYTES) renameSync(file, olderLogOf(file));
    appendFileSync(file, line, { mode: 0o600 });
    isFailing = false;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A start logs before it has made the data directory. These lines are on standard error only.
    if (isFailing || code === 'ENOENT') return;
    isFailing = true;
    process.stderr.write(`quarry: the log file cannot be written: ${message}\n`);
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
