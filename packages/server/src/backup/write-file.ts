/** Writes a backup. A file has its name only when it is complete, on the disk, and was read again. */
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { newId } from '../util.ts';
import type { BackupEnd, BackupHeader } from './format.ts';
import { type CopyProgress, type CopyStream, digestOfTables, type TableTotals } from './parts.ts';
import { checkBackup } from './read-file.ts';
import { withSeal } from './seal.ts';
import { syncFolder } from './sync-folder.ts';

/** A file that is being written has this end, and what a killed process has left. */
export const DRAFT_END = '.partial';

interface BackupContents {
  readonly header: BackupHeader;
  readonly parts: CopyStream;
  readonly progress: CopyProgress;
}

export interface WrittenBackup extends BackupEnd {
  readonly bytes: number;
}

interface WriteOptions {
  /** If true, a file with the name is replaced. */
  readonly replace: boolean;
  /** The writing ends with an error when the signal aborts. */
  readonly signal?: AbortSignal;
  /** The function is called before the file gets its name, and may throw an error that prevents it. */
  readonly lastCheck?: () => Promise<void>;
}

/**
 * `fill` writes the contents once, in the transaction in which it reads them. The file is read again after it, because a
 * transaction that is open keeps the database from tidying up.
 */
export async function writeBackup(
  path: string,
  { replace, signal, lastCheck }: WriteOptions,
  fill: (write: (contents: BackupContents) => Promise<void>) => Promise<void>,
): Promise<WrittenBackup> {
  const target = resolve(path);
  if (!replace && existsSync(target))
    throw new Error(`${path} exists: choose another name, or replace the file with --force`);
  // Two backups may run at once, and the ids of processes in different containers can be equal.
  const draft = `${target}.${newId()}${DRAFT_END}`;
  try {
    await fill((contents) =>
      pipeline(
        // A page is large, so none waits behind another.
        Readable.from(linesOf(contents), { highWaterMark: 1 }),
        createZstdCompress(),
        withSeal,
        createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
        { ...(signal && { signal }) },
      ),
    );
    const { end } = await checkBackup(draft, signal);
    await lastCheck?.();
    const { size } = await stat(draft);
    await rename(draft, target);
    await syncFolder(dirname(target));
    return { ...end, bytes: size };
  } catch (error) {
    throw isOfFile(error)
      ? new Error(`${path} cannot be written: ${(error as Error).message}`, { cause: error })
      : error;
  } finally {
    await rm(draft, { force: true });
  }
}

const FILE_CODES = new Set(['EACCES', 'EDQUOT', 'ENOENT', 'ENOSPC', 'EPERM', 'EROFS']);

/** Tells an error of the file apart from those of the database that is read meanwhile. */
function isOfFile(error: unknown): boolean {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return FILE_CODES.has(code) && ['open', 'write', 'fsync', 'rename'].includes(syscall);
}

async function* linesOf({ header, parts, progress }: BackupContents): AsyncGenerator<string> {
  const all: TableTotals[] = [];
  let table = '';
  let rows = 0;
  yield lineOf(header);
  for await (const part of parts) {
    if ('table' in part) {
      const { name, key, columns } = part.table;
      table = name;
      rows = 0;
      yield lineOf({ table: name, key, columns });
    } else if ('rows' in part) {
      yield part.rows.map(lineOf).join('');
      rows += part.rows.length;
      progress(table, rows);
    } else {
      const { table: _, ...totals } = part.totals;
      all.push(part.totals);
      yield lineOf(totals);
    }
  }
  const end: BackupEnd = {
    tables: all.length,
    rows: all.reduce((sum, one) => sum + one.rows, 0),
    digest: digestOfTables(all),
  };
  yield lineOf(end);
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
