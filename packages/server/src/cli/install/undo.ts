/**
 * What was there before: a copy of the file beside it (`….quarry-backup`), and what is needed to go back
 * (`….quarry-undo`). Both are gone once that is done.
 *
 * Writing again on top of what Quarry has written keeps the first copy, so that one step leads back to
 * the file without Quarry. If others have changed it in between, the copy is of what they have left.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type ConfigFile, look, remove, write } from './config-file.ts';

const Record = z.object({
  /** SHA-256 of what Quarry wrote. */
  written: z.string(),
  /** Whether there was a file: its copy is the backup. */
  existed: z.boolean(),
  /** The first folder that was made for it. */
  folder: z.string().nullable(),
});
type Record = z.infer<typeof Record>;

const backupOf = (path: string) => `${path}.quarry-backup`;
const recordOf = (path: string) => `${path}.quarry-undo`;

/** Writes the text, after a copy of what it replaces. Gives the path of that copy if there is one. */
export function writeWithBackup(
  path: string,
  text: string,
  before: ConfigFile | undefined,
): string | undefined {
  const last = readRecord(path);
  const goesOn = last !== undefined && before !== undefined && hash(before.bytes) === last.written;
  const bytes = Buffer.from(text);
  const copy = backupOf(path);
  const older = look(copy);
  if (before && !goesOn) write(copy, before.bytes, older, before.mode);
  const folder = replace() ?? null;
  const record: Record = goesOn
    ? { ...last, written: hash(bytes) }
    : { written: hash(bytes), existed: before !== undefined, folder };
  write(recordOf(path), Buffer.from(`${JSON.stringify(record)}\n`), look(recordOf(path)));
  return record.existed ? copy : undefined;

  /** What is not written needs no copy. */
  function replace(): string | undefined {
    try {
      return write(path, bytes, before);
    } catch (error) {
      if (!goesOn) fs.rmSync(copy, { force: true });
      if (older && !goesOn) write(copy, older.bytes, undefined, older.mode);
      throw error;
    }
  }
}

export interface Undo {
  /** Of the file as it was; undefined when there was none. */
  readonly text: string | undefined;
  readonly perform: () => void;
}

/**
 * Undefined when Quarry has not written the file. Throws an Error when it was changed since, or the copy
 * is gone.
 */
export function undoOf(path: string): Undo | undefined {
  const record = readRecord(path);
  if (!record) return undefined;
  const now = look(path);
  if (!now || hash(now.bytes) !== record.written) {
    const copy = record.existed ? `; the file before is ${backupOf(path)}` : '';
    throw new Error(
      `${path} was changed since it was set up: --undo --only-entry takes out the entry and leaves the changes${copy}`,
    );
  }
  if (!record.existed) return { text: undefined, perform: () => takeAway(now, record) };
  const copy = look(backupOf(path));
  if (!copy) throw new Error(`${backupOf(path)} is gone: --undo --only-entry takes out the entry`);
  return {
    text: copy.text,
    perform() {
      write(path, copy.bytes, now, copy.mode);
      forget(path);
    },
  };

  function takeAway(now: ConfigFile, { folder }: Record): void {
    remove(path, now);
    forget(path);
    for (let at = dirname(path); folder && at.startsWith(folder); at = dirname(at))
      if (!removeIfEmpty(at)) return;
  }
}

/** There is nothing to go back to any more. */
export function forget(path: string): void {
  for (const one of [recordOf(path), backupOf(path)]) fs.rmSync(one, { force: true });
}

/** False when there is something in it. */
function removeIfEmpty(folder: string): boolean {
  if (fs.readdirSync(folder).length > 0) return false;
  fs.rmdirSync(folder);
  return true;
}

function readRecord(path: string): Record | undefined {
  const found = look(recordOf(path));
  if (!found) return undefined;
  try {
    return Record.parse(JSON.parse(found.text));
  } catch {
    throw new Error(`${recordOf(path)} is broken: remove it; then --undo --only-entry still works`);
  }
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
