/**
 * Holds a Google Drive with its shared drives, and their logs of changes. The logs have no more than Google promises: a
 * renamed, moved, trashed or deleted folder is one change, without changes for the files in it, and each shared drive has
 * a log of its own.
 */
import type { Readable } from 'node:stream';
import { must } from '../../util.ts';
import type { PeerGroup } from './google-directory.ts';

/** The types of Google's own documents begin so. */
export const GOOGLE = 'application/vnd.google-apps.';
export const FOLDER = `${GOOGLE}folder`;
/** The corpus of the person: My Drive, and what others have shared with the person. */
export const MY = 'my';
export const ROOT = 'root-my';

export interface SharedWith {
  readonly type: 'user' | 'group' | 'domain' | 'anyone';
  readonly emailAddress?: string;
  readonly domain?: string;
  readonly allowFileDiscovery?: boolean;
  readonly deleted?: boolean;
  readonly expirationTime?: string;
  /** It is reader if it is missing. */
  readonly role?: string;
  readonly view?: string;
}

export interface PeerFile {
  id: string;
  name: string;
  mimeType: string;
  /** The root of My Drive has the id 'root-my'. The root of a shared drive has the id of the drive. */
  parent: string;
  owner: string;
  /** The file itself was trashed, and not only a folder above it. */
  isTrashed: boolean;
  content: string | Buffer | (() => Readable);
  /** The metadata show this size instead of the real size. */
  claimedSize?: number;
  canDownload: boolean;
  /** The folder does not inherit who may read it, so what is in it is hidden from the members of its drive. */
  isLimited: boolean;
  shared: SharedWith[];
  modifiedAt: number;
}

export interface PeerDrive {
  id: string;
  name: string;
  members: SharedWith[];
}

export interface LogEntry {
  readonly fileId?: string;
  readonly driveId?: string;
}

type GivenFile = Pick<PeerFile, 'id' | 'name' | 'parent'> & Partial<PeerFile>;

export type DriveWorld = ReturnType<typeof makeDriveWorld>;

export const bytesOf = ({ content }: PeerFile): Buffer =>
  typeof content === 'function' ? Buffer.alloc(0) : Buffer.from(content);

export const names = (account: string, shared: readonly SharedWith[]): boolean =>
  shared.some(
    ({ type, emailAddress, deleted }) => type === 'user' && emailAddress === account && !deleted,
  );

/** Each function that changes the Drive of `me` adds the log entries that Google adds. */
export function makeDriveWorld(me: string) {
  const files = new Map<string, PeerFile>();
  const drives = new Map<string, PeerDrive>();
  const logs = new Map<string, LogEntry[]>([[MY, []]]);
  let clock = Date.parse('2026-01-01T00:00:00Z');
  const tick = () => {
    clock += 60_000;
    return clock;
  };

  const driveOf = (file: PeerFile): string | undefined => {
    for (let at: string | undefined = file.parent; at !== undefined; at = files.get(at)?.parent)
      if (at !== ROOT && drives.has(at)) return at;
    return undefined;
  };
  const isInLimited = (file: PeerFile): boolean => {
    for (let at = files.get(file.parent); at; at = files.get(at.parent))
      if (at.isLimited) return true;
    return false;
  };
  const isMember = (account: string, id: string) =>
    names(account, must(drives.get(id), `there is no drive ${id}`).members);
  const corpusOf = (file: PeerFile): string => {
    const drive = driveOf(file);
    return drive !== undefined && isMember(me, drive) ? drive : MY;
  };
  const log = (corpus: string, entry: LogEntry) => {
    if (!logs.has(corpus)) logs.set(corpus, []);
    must(logs.get(corpus)).push(entry);
  };
  const fileAt = (id: string) => must(files.get(id), `the peer has no file ${id}`);

  function drop(id: string): void {
    for (const { id: inner, parent } of files.values()) if (parent === id) drop(inner);
    files.delete(id);
  }

  const world = {
    files,
    drives,
    logs,
    people: [] as string[],
    groups: [] as PeerGroup[],
    driveOf,
    corpusOf,
    isMember,
    isTrashed(file: PeerFile): boolean {
      for (let at: PeerFile | undefined = file; at; at = files.get(at.parent))
        if (at.isTrashed) return true;
      return false;
    },
    mayRead(account: string, file: PeerFile): boolean {
      const drive = driveOf(file);
      return (
        file.owner === account ||
        names(account, file.shared) ||
        (drive !== undefined && isMember(account, drive) && !isInLimited(file))
      );
    },
    put(given: GivenFile): PeerFile {
      const file: PeerFile = {
        mimeType: 'text/markdown',
        owner: me,
        isTrashed: false,
        content: '',
        canDownload: true,
        isLimited: false,
        shared: [],
        modifiedAt: tick(),
        ...given,
      };
      files.set(file.id, file);
      log(corpusOf(file), { fileId: file.id });
      return file;
    },
    change(id: string, changes: Partial<PeerFile>): void {
      const file = fileAt(id);
      const before = corpusOf(file);
      const isContent = changes.content !== undefined;
      Object.assign(file, isContent && { modifiedAt: tick() }, changes);
      for (const corpus of new Set([before, corpusOf(file)])) log(corpus, { fileId: id });
    },
    /** Deletes the file, or the folder with everything in it, without the trash. */
    remove(id: string): void {
      log(corpusOf(fileAt(id)), { fileId: id });
      drop(id);
    },
    putDrive(id: string, name: string, members: SharedWith[]): void {
      drives.set(id, { id, name, members });
      log(MY, { driveId: id });
      log(id, { driveId: id });
    },
    changeDrive(id: string, changes: Partial<PeerDrive>): void {
      const drive = must(drives.get(id));
      const wasMember = isMember(me, id);
      Object.assign(drive, changes);
      log(id, { driveId: id });
      if (wasMember !== isMember(me, id)) log(MY, { driveId: id });
    },
    removeDrive(id: string): void {
      for (const { id: inner, parent } of files.values()) if (parent === id) drop(inner);
      drives.delete(id);
      log(MY, { driveId: id });
    },
    clear(): void {
      files.clear();
      drives.clear();
      logs.clear();
      logs.set(MY, []);
      Object.assign(world, { people: [], groups: [] });
    },
  };
  return world;
}
