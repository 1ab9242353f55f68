/** The operator makes, lists, reads and deletes backups. A worker writes them (run.ts). */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import { act } from '../audit/act.ts';
import type { BackupPlan } from '../backup-settings.ts';
import { type Ctx, causeOf } from '../context.ts';
import { databaseTime } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { enqueue } from '../jobs/queue.ts';
import { instant, instantOrNull, must } from '../util.ts';
import { openFile, removeFile, sizeOf } from './folder.ts';
import { createOperator, type OperatorDeps } from './operator.ts';
import { LANE, order } from './order.ts';
import { type ByteRange, rangeOf } from './range.ts';
import type { Backup } from './schema.ts';
import * as store from './store.ts';

interface BackupDeps extends OperatorDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly plan: BackupPlan | null;
  /** The service calls this to tell the worker that there is work. */
  readonly wake: () => void;
}

export type Backups = ReturnType<typeof createBackups>;

interface BackupContent {
  readonly name: string;
  readonly size: number;
  /** It is the same for the same bytes. */
  readonly tag: string;
  /** It is null when the stream has the whole file. */
  readonly range: ByteRange | null;
  /** It has no bytes when only the facts were asked for. */
  readonly stream: Readable;
}

interface ContentRequest {
  readonly headers: IncomingHttpHeaders;
  /** If true, only the facts are asked for, so the file is not read. */
  readonly isHead: boolean;
}

export function createBackups(deps: BackupDeps) {
  const { db, kind, plan, wake } = deps;
  const operator = createOperator(deps);

  /** Returns the folder. Throws when the caller may not know of backups, or there can be none. */
  async function folderFor(ctx: Ctx): Promise<string> {
    await operator.require(ctx);
    if (plan) return plan.folder;
    throw conflict(
      'backups have no folder: set QUARRY_BACKUP_DIR to the same folder for all processes of the service, or use quarry backup on its machine',
    );
  }

  async function existing(name: string): Promise<store.BackupRow> {
    const row = await store.find(db, name);
    if (!row) throw notFound('backup', name);
    return row;
  }

  async function complete(name: string): Promise<store.BackupRow> {
    const row = await existing(name);
    if (row.status === 'COMPLETED') return row;
    throw conflict(
      row.status === 'FAILED'
        ? `the backup '${name}' has failed, so it has no file: ask for another one`
        : `the backup '${name}' has not ended: wait until its status is COMPLETED`,
    );
  }

  const absent = (name: string) =>
    conflict(
      `the file '${name}' is not in the folder of the process that answers, or was changed: somebody has removed it, or the processes have different folders (QUARRY_BACKUP_DIR)`,
    );

  return {
    identify: operator.identify,

    /** Asks a worker for a backup. One is made at a time. */
    async begin(ctx: Ctx): Promise<Backup> {
      const folder = await folderFor(ctx);
      const now = (await databaseTime(db, kind)).getTime();
      const row = await act(db, ctx, async (tx, on) => {
        const made = await order(tx, { trigger: 'request', now, cause: causeOf(ctx) });
        if (made) on({ id: made.id, name: made.name });
        return made;
      });
      if (!row)
        throw conflict(
          `a backup is being made already (${await store.unfinishedName(db)}): wait until it has ended`,
        );
      wake();
      return toBackup(must(await store.byId(db, row.id)), folder);
    },

    /** Returns a page of backups, the newest first. */
    async list(ctx: Ctx, page: Page): Promise<Listed<Backup>> {
      const folder = await folderFor(ctx);
      const { total, rows } = await store.list(db, page);
      return { total, rows: await Promise.all(rows.map((row) => toBackup(row, folder))) };
    },

    async get(ctx: Ctx, name: string): Promise<Backup> {
      const folder = await folderFor(ctx);
      return toBackup(await existing(name), folder);
    },

    /** Opens the file, or the part that the headers ask for. */
    async content(
      ctx: Ctx,
      name: string,
      { headers, isHead }: ContentRequest,
    ): Promise<BackupContent> {
      const folder = await folderFor(ctx);
      const row = await complete(name);
      const file = await openFile(folder, row.name);
      try {
        if (file === null || file.size !== row.size_bytes) throw absent(name);
        const tag = `"${row.digest}-${row.ended_at}"`;
        const isSame = headers['if-range'] === undefined || headers['if-range'] === tag;
        const range = isSame ? rangeOf(headers.range, file.size) : null;
        const found = { name: row.name, size: file.size, tag, range };
        if (isHead) {
          await file.close();
          return { ...found, stream: Readable.from([]) };
        }
        await act(db, ctx, async (_tx, on) => on({ id: row.id, name: row.name }));
        const { start, end } = range ?? { start: 0, end: file.size - 1 };
        return { ...found, stream: file.stream(start, end) };
      } catch (error) {
        await file?.close();
        throw error;
      }
    },

    /** Has a worker read the whole file, and compare it with its digests. */
    async check(ctx: Ctx, name: string): Promise<Backup> {
      const folder = await folderFor(ctx);
      const { id } = await complete(name);
      await act(db, ctx, async (tx) => {
        if (!(await store.askForCheck(tx, id)))
          throw conflict(
            `the backup '${name}' is being checked already: wait until that has ended`,
          );
        await enqueue(tx, 'backup.check', {
          ...{ data: { backupId: id }, lane: LANE, cause: causeOf(ctx) },
        });
      });
      wake();
      return toBackup(await existing(name), folder);
    },

    async remove(ctx: Ctx, name: string): Promise<Backup> {
      const folder = await folderFor(ctx);
      const row = await existing(name);
      const shown = await toBackup(row, folder);
      await act(db, ctx, async (tx, on) => {
        if (!(await store.removeEnded(tx, row.id)))
          throw conflict(`the backup '${name}' is being made: wait until it has ended`);
        on({ id: row.id, name: row.name });
        // The row goes only with the file, so that the list names every file.
        await removeFile(folder, row.name);
      });
      return shown;
    },
  };
}

async function toBackup(row: store.BackupRow, folder: string): Promise<Backup> {
  const size = row.status === 'COMPLETED' ? await sizeOf(folder, row.name) : null;
  return {
    name: row.name,
    status: row.status,
    trigger: row.trigger,
    created_at: instant(row.created_at),
    started_at: instantOrNull(row.started_at),
    ended_at: instantOrNull(row.ended_at),
    size_bytes: row.size_bytes,
    tables: row.table_count,
    rows: row.row_count,
    digest: row.digest,
    error: row.error,
    is_available: size !== null && size === row.size_bytes,
    check: row.check_status && {
      status: row.check_status,
      ended_at: instantOrNull(row.check_ended_at),
      error: row.check_error,
    },
  };
}
