/**
 * Files of other programs are read as a whole, and written as a whole or not at all.
 *
 * A link is refused, because a file put in its place would separate the link from its target. Anything else that is
 * not a plain file is refused, too. A write goes to a new file beside the old one, and the new file then takes the
 * place of the old: a crash leaves either the old file or the new one. Right before that, the old file is compared
 * with what was read, since its program may be running and may have written it.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

export interface ConfigFile {
  readonly bytes: Buffer;
  readonly text: string;
  /** The mode holds the permission bits. */
  readonly mode: number;
}

/** Only the owner may read the file, because there is a key in it. */
const PRIVATE = 0o600;

/** Returns undefined when the file does not exist. Throws an Error with a sentence when it cannot be read. */
export function look(path: string): ConfigFile | undefined {
  const stats = told(path, 'read', () => fs.lstatSync(path, { throwIfNoEntry: false }));
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) {
    const target = told(path, 'read', () => fs.readlinkSync(path));
    throw new Error(`${path} is a link to ${target}: name that file with --file`);
  }
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  const bytes = told(path, 'read', () => fs.readFileSync(path));
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
  /** The bytes replace this file; undefined stands for no file. */
  readonly before: ConfigFile | undefined;
  /** Without a mode, the file gets that of `before`. */
  readonly mode?: number;
}

/**
 * Puts the bytes in the place of `before`, with its owner. Gives the first folder that had to be made.
 * Throws an Error with a sentence when that is not possible, or when the file has changed since it was read.
 */
export function write(
  path: string,
  { bytes, before, mode = before?.mode ?? PRIVATE }: FileWrite,
): string | undefined {
  const beside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  return told(path, 'written', () => {
    const folder = fs.mkdirSync(dirname(path), { recursive: true });
    try {
      fs.writeFileSync(beside, bytes, { mode: PRIVATE, flag: 'wx', flush: true });
      if (before) keepOwner(path, beside);
      fs.chmodSync(beside, mode);
      if (!isSame(look(path), before))
        throw new Error(`${path} was changed by another program just now: run the command again`);
      fs.renameSync(beside, path);
    } finally {
      fs.rmSync(beside, { force: true });
    }
    return folder;
  });
}

export function remove(path: string, before: ConfigFile): void {
  told(path, 'removed', () => {
    if (!isSame(look(path), before))
      throw new Error(`${path} was changed by another program just now: run the command again`);
    fs.rmSync(path);
  });
}

/** An administrator may write the file of another user, who has to stay its owner. */
function keepOwner(path: string, beside: string): void {
  const [old, made] = [fs.statSync(path), fs.statSync(beside)];
  if (old.uid !== made.uid || old.gid !== made.gid) fs.chownSync(beside, old.uid, old.gid);
}

const isSame = (now: ConfigFile | undefined, before: ConfigFile | undefined) =>
  now && before ? now.bytes.equals(before.bytes) : now === before;

/** Turns errors of the operating system into sentences. */
function told<T>(path: string, what: string, act: () => T): T {
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
