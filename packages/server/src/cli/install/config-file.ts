/**
 * Files of other programs: read as a whole, written as a whole or not at all.
 *
 * A link is refused, because a file put in its place would part the two; so is whatever is no plain file.
 * A write goes to a new file beside it, which then takes its place: a crash leaves the old one or the new
 * one. Right before that the old one is compared with what was read, since its program may be running.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

export interface ConfigFile {
  readonly bytes: Buffer;
  readonly text: string;
  /** Permission bits. */
  readonly mode: number;
}

/** There is a key in it. */
const PRIVATE = 0o600;

/** Undefined when there is no file. Throws an Error with a sentence for what cannot be read. */
export function look(path: string): ConfigFile | undefined {
  const stats = told(path, 'read', () => fs.lstatSync(path, { throwIfNoEntry: false }));
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) {
    const target = told(path, 'read', () => fs.readlinkSync(path));
    throw new Error(`${path} is a link to ${target}: name that file with --file`);
  }
  if (!stats.isFile()) throw new Error(`${path} is no plain file`);
  const bytes = told(path, 'read', () => fs.readFileSync(path));
  return { bytes, text: textOf(path, bytes), mode: stats.mode & 0o777 };
}

function textOf(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is no text in UTF-8`);
  }
}

/**
 * Puts the bytes in the place of `before`, with its mode and owner. Gives the first folder that had to be
 * made. Throws an Error with a sentence when that is not possible, or when the file has changed since.
 */
export function write(
  path: string,
  bytes: Buffer,
  before: ConfigFile | undefined,
  mode = before?.mode ?? PRIVATE,
): string | undefined {
  const beside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  return told(path, 'written', () => {
    const folder = fs.mkdirSync(dirname(path), { recursive: true });
    try {
      fs.writeFileSync(beside, bytes, { mode: PRIVATE, flag: 'wx', flush: true });
      if (before) keepOwner(path, beside);
      fs.chmodSync(beside, mode);
      if (!isSame(look(path), before))
        throw new Error(`${path} was changed by somebody else just now: run the command again`);
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
      throw new Error(`${path} was changed by somebody else just now: run the command again`);
    fs.rmSync(path);
  });
}

/** The administrator writes for somebody else. */
function keepOwner(path: string, beside: string): void {
  const [old, made] = [fs.statSync(path), fs.statSync(beside)];
  if (old.uid !== made.uid || old.gid !== made.gid) fs.chownSync(beside, old.uid, old.gid);
}

const isSame = (now: ConfigFile | undefined, before: ConfigFile | undefined) =>
  now && before ? now.bytes.equals(before.bytes) : now === before;

/** Errors of the system, as sentences. */
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
