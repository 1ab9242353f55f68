/**
 * Reads and writes the configuration files of other programs. A file is written completely or not at all.
 *
 * A link is refused, because writing would replace the link by a file. Anything else that is not a regular file is
 * refused too. A write makes a new file in the same folder and then renames it, so a crash leaves either the old file
 * or the new one. Directly before the rename, the old file is compared with what was read, because its program may be
 * running and may have changed it.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

export interface ConfigFile {
  readonly bytes: Buffer;
  readonly text: string;
  /** These are the permission bits of the file. */
  readonly mode: number;
}

/** Only the owner may read the file, because it contains a key. */
const PRIVATE = 0o600;

/**
 * Reads the file. Returns undefined when it does not exist. Throws an Error with a message for users when it cannot be
 * read.
 */
export function readConfigFile(path: string): ConfigFile | undefined {
  const stats = withReadableErrors(path, 'read', () =>
    fs.lstatSync(path, { throwIfNoEntry: false }),
  );
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) {
    const target = withReadableErrors(path, 'read', () => fs.readlinkSync(path));
    throw new Error(`${path} is a link to ${target}: name that file with --file`);
  }
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  const bytes = withReadableErrors(path, 'read', () => fs.readFileSync(path));
  return { bytes, text: textOf(path, bytes), mode: stats.mode & 0o777 };
}

function textOf(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not text in UTF-8`);
  }
}

interface FileWrite {
  readonly bytes: Buffer;
  /** This is the file that is replaced, or undefined for a new file. */
  readonly before: ConfigFile | undefined;
  /** Without a mode, the new file gets the mode of `before`. */
  readonly mode?: number;
}

/**
 * Replaces `before` by a file with the same owner. Returns the first folder that had to be made. Throws an Error with a
 * message for users when this fails, or when the file has changed since it was read.
 */
export function write(
  path: string,
  { bytes, before, mode = before?.mode ?? PRIVATE }: FileWrite,
): string | undefined {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  return withReadableErrors(path, 'written', () => {
    const folder = fs.mkdirSync(dirname(path), { recursive: true });
    try {
      fs.writeFileSync(temporary, bytes, { mode: PRIVATE, flag: 'wx', flush: true });
      if (before) keepOwner(path, temporary);
      fs.chmodSync(temporary, mode);
      if (!isSame(readConfigFile(path), before))
        throw new Error(`${path} was changed by another program just now: run the command again`);
      fs.renameSync(temporary, path);
    } finally {
      fs.rmSync(temporary, { force: true });
    }
    return folder;
  });
}

export function remove(path: string, before: ConfigFile): void {
  withReadableErrors(path, 'removed', () => {
    if (!isSame(readConfigFile(path), before))
      throw new Error(`${path} was changed by another program just now: run the command again`);
    fs.rmSync(path);
  });
}

/** When an administrator writes the file of another user, that user stays the owner. */
function keepOwner(path: string, temporary: string): void {
  const [old, created] = [fs.statSync(path), fs.statSync(temporary)];
  if (old.uid !== created.uid || old.gid !== created.gid) fs.chownSync(temporary, old.uid, old.gid);
}

const isSame = (now: ConfigFile | undefined, before: ConfigFile | undefined) =>
  now && before ? now.bytes.equals(before.bytes) : now === before;

/** Runs `act` and turns an error of the operating system into a message for users. */
function withReadableErrors<T>(path: string, what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Error(`${path} cannot be ${what}: ${REASONS[code] ?? message}`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'one of its folders is a file',
  EEXIST: 'one of its folders is a file',
  ENOSPC: 'the disk is full',
};
