/**
 * Two files beside the changed one lead back to what was there before: a copy of the old file (`….quarry-backup`),
 * and a record of what is needed to go back (`….quarry-undo`). Both are removed once the old state is restored.
 *
 * When Quarry writes again on top of its own result, the first copy stays, so that one step leads back to the file
 * without Quarry. When another program has changed the file in between, the copy is made of that program's result.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type ConfigFile, look, remove, write } from './config-file.ts';

const Record = z.object({
  /** The SHA-256 digest is that of the bytes that Quarry wrote. */
  written: z.string(),
  /** It is true when the file existed before, and the backup is then its copy. */
  existed: z.boolean(),
  /** This folder is the first one that had to be made for the file; null stands for none. */
  folder: z.string().nullable(),
});
type Record = z.infer<typeof Record>;

const backupOf = (path: string) => `${path}.quarry-backup`;
const recordOf = (path: string) => `${path}.quarry-undo`;

/** Writes the text, after a copy of the file that it replaces. Gives the path of that copy if there is one. */
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
  if (before && !goesOn) write(copy, { ...before, before: older });
  const folder = replace() ?? null;
  const record: Record = goesOn
    ? { ...last, written: hash(bytes) }
    : { written: hash(bytes), existed: before !== undefined, folder };
  write(recordOf(path), {
    bytes: Buffer.from(`${JSON.stringify(record)}\n`),
    before: look(recordOf(path)),
  });
  return record.existed ? copy : undefined;

  /** A text that could not be written needs no copy, so the older copy is put back. */
  function replace(): string | undefined {
    try {
      return write(path, { bytes, before });
    } catch (error) {
      if (!goesOn) fs.rmSync(copy, { force: true });
      if (older && !goesOn) write(copy, { ...older, before: undefined });
      throw error;
    }
  }
}

export interface Undo {
  /** The text is that of the old file; undefined when the file did not exist. */
  readonly text: string | undefined;
  readonly perform: () => void;
}

/**
 * Returns undefined when Quarry has not written the file. Throws an Error when the file was changed since then, or
 * when the copy is gone.
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
      write(path, { ...copy, before: now });
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

/** Removes the copy and the record when nothing is left to go back to. */
export function forget(path: string): void {
  for (const one of [recordOf(path), backupOf(path)]) fs.rmSync(one, { force: true });
}

/** Returns false when the folder is not empty. */
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
