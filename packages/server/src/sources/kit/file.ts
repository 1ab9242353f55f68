/** Downloads a file to disk, piece by piece, so that a large file needs no more memory than a small one. */
import { open, rm } from 'node:fs/promises';
import { inodeOf } from '../../documents/inode.ts';
import { largestBytes, reasonToLeaveOut, tooLargeFile } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import type { FileRef } from '../../model/entity.ts';
import type { Downloads } from '../downloads.ts';

export interface FileToDownload {
  /** The extension of the name decides how the file is read. */
  readonly name: string;
  /** This is the size in bytes according to the service, which may be wrong. */
  readonly size?: number | undefined;
}

/** The file is left out on purpose; `eachOf` makes a skip of it. */
export class LeftOutFile extends Error {
  override readonly name = 'LeftOutFile';
  readonly omission: Omission;

  constructor(omission: Omission) {
    super(omission.reason);
    this.omission = omission;
  }
}

export type Take = (piece: Uint8Array) => Promise<void>;

/** `receive` must call `sink` at the beginning of each attempt. Each call empties the file. */
export async function downloadFile(
  downloads: Downloads,
  { name, size }: FileToDownload,
  receive: (sink: () => Promise<Take>) => Promise<void>,
): Promise<FileRef> {
  const omission = reasonToLeaveOut(name, size ?? 0, downloads.optional);
  if (omission) throw new LeftOutFile(omission);
  const path = await downloads.newPath();
  try {
    await using handle = await open(path, 'wx', 0o600);
    await receive(async () => {
      await handle.truncate(0);
      let written = 0;
      return async (piece) => {
        // A service may send more than it has announced.
        if (written + piece.byteLength > largestBytes(name, downloads.optional))
          throw new LeftOutFile(tooLargeFile(name, downloads.optional));
        await handle.write(piece, 0, piece.byteLength, written);
        written += piece.byteLength;
      };
    });
    const stat = await handle.stat({ bigint: true });
    return { path, name, size: Number(stat.size), inode: inodeOf(stat), isTemporary: true };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
