/**
 * A change can be undone with two files in the folder of the changed file: a copy of the old file (`….quarry-backup`),
 * and a record of the change (`….quarry-undo`). Both are removed once the old file is restored.
 *
 * When Quarry changes a file again that it wrote itself, the first copy stays, so that one undo restores the file as it
 * was before Quarry. When another program has changed the file meanwhile, a copy of the changed file replaces the first
 * copy.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { RecordedKey } from './assistant-key.ts';
import { type ConfigFile, readConfigFile, remove, write } from './config-file.ts';

const UndoRecord = z.object({
  /** This is the SHA-256 digest of the bytes that Quarry wrote. */
  written: z.string(),
  /** If true, the file existed before, and the backup is its copy. */
  existed: z.boolean(),
  /** This is the first folder that had to be made for the file, or null. */
  folder: z.string().nullable(),
  /** These keys were made for entries of the file; the key of each is the name of the entry. */
  keys: z
    .record(z.string(), z.object({ address: z.string(), id: z.string(), name: z.string() }))
    .default({}),
});
type UndoRecord = z.infer<typeof UndoRecord>;

interface WrittenEntry {
  /** This is undefined when the file does not exist. */
  readonly before: ConfigFile | undefined;
  /** This is the name of the entry. */
  readonly name: string;
  readonly made: RecordedKey | undefined;
}

const backupOf = (path: string) => `${path}.quarry-backup`;
const recordOf = (path: string) => `${path}.quarry-undo`;

/**
 * Makes a copy of the file and then writes the text. Returns the path of the copy, or undefined when the file did not
 * exist.
 */
export function writeWithBackup(
  path: string,
  text: string,
  { before, name, made }: WrittenEntry,
): string | undefined {
  const last = readRecord(path);
  const continues =
    last !== undefined && before !== undefined && hash(before.bytes) === last.written;
  const bytes = Buffer.from(text);
  const copy = backupOf(path);
  const older = readConfigFile(copy);
  if (before && !continues) write(copy, { ...before, before: older });
  const folder = replace() ?? null;
  const { [name]: _, ...others } = last?.keys ?? {};
  const keys = made ? { ...others, [name]: made } : others;
  const record: UndoRecord = continues
    ? { ...last, written: hash(bytes), keys }
    : { written: hash(bytes), existed: before !== undefined, folder, keys };
  write(recordOf(path), {
    bytes: Buffer.from(`${JSON.stringify(record)}\n`),
    before: readConfigFile(recordOf(path)),
  });
  return record.existed ? copy : undefined;

  /** Writes the text. When that fails, the new copy is not needed, and the older copy is restored. */
  function replace(): string | undefined {
    try {
      return write(path, { bytes, before });
    } catch (error) {
      if (!continues) fs.rmSync(copy, { force: true });
      if (older && !continues) write(copy, { ...older, before: undefined });
      throw error;
    }
  }
}

export interface Undo {
  /** This is the text of the old file, or undefined when the file did not exist. */
  readonly text: string | undefined;
  readonly perform: () => void;
}

/**
 * Returns undefined when Quarry has not written the file. Throws an Error when the file was changed since then, or when
 * the copy does not exist any more.
 */
export function undoOf(path: string): Undo | undefined {
  const record = readRecord(path);
  if (!record) return undefined;
  const now = readConfigFile(path);
  if (!now || hash(now.bytes) !== record.written) {
    const copy = record.existed ? `; a copy of the earlier file is ${backupOf(path)}` : '';
    throw new Error(
      `${path} was changed since it was set up: --undo --only-entry takes out the entry and leaves the changes${copy}`,
    );
  }
  if (!record.existed) return { text: undefined, perform: () => removeFileAndFolders(now, record) };
  const copy = readConfigFile(backupOf(path));
  if (!copy) throw new Error(`${backupOf(path)} is gone: --undo --only-entry takes out the entry`);
  return {
    text: copy.text,
    perform() {
      write(path, { ...copy, before: now });
      forget(path);
    },
  };

  function removeFileAndFolders(now: ConfigFile, { folder }: UndoRecord): void {
    remove(path, now);
    forget(path);
    for (let at = dirname(path); folder && at.startsWith(folder); at = dirname(at))
      if (!removeIfEmpty(at)) return;
  }
}

/** Returns the key that was made for the entry of this name, or undefined when none is known. */
export const keyIn = (path: string, name: string): RecordedKey | undefined =>
  readRecord(path)?.keys[name];

/** Returns the keys that were made for entries of the file, by the names of the entries. */
export const keysIn = (path: string): ReadonlyMap<string, RecordedKey> =>
  new Map(Object.entries(readRecord(path)?.keys ?? {}));

/** Forgets the entry, which is not in the text any more. What is known of other entries stays. */
export function forgetEntry(path: string, name: string, text: string): void {
  const record = readRecord(path);
  const { [name]: _, ...keys } = record?.keys ?? {};
  if (!record || Object.keys(keys).length === 0) {
    forget(path);
    return;
  }
  const next: UndoRecord = { ...record, written: hash(Buffer.from(text)), keys };
  write(recordOf(path), {
    bytes: Buffer.from(`${JSON.stringify(next)}\n`),
    before: readConfigFile(recordOf(path)),
  });
}

/** Removes the copy and the record. */
function forget(path: string): void {
  for (const one of [recordOf(path), backupOf(path)]) fs.rmSync(one, { force: true });
}

/** Returns false when the folder is not empty. */
function removeIfEmpty(folder: string): boolean {
  if (fs.readdirSync(folder).length > 0) return false;
  fs.rmdirSync(folder);
  return true;
}

function readRecord(path: string): UndoRecord | undefined {
  const found = readConfigFile(recordOf(path));
  if (!found) return undefined;
  try {
    return UndoRecord.parse(JSON.parse(found.text));
  } catch {
    throw new Error(`${recordOf(path)} is broken: remove it; then --undo --only-entry still works`);
  }
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
