/**
 * A worker writes and checks backups, each within one entry of the queue. An attempt that was interrupted leaves a draft,
 * which the next one removes. An error ends the backup with a sentence for the operator; only an interrupted attempt, and
 * one whose database is away, is tried again.
 */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { withContents } from '../backup/contents.ts';
import { FORMAT, FORMAT_VERSION } from '../backup/format.ts';
import { checkBackup } from '../backup/read-file.ts';
import { type WrittenBackup, writeBackup } from '../backup/write-file.ts';
import type { BackupPlan } from '../backup-settings.ts';
import { databaseTime } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { unavailableReason } from '../db/unavailable.ts';
import type { ClaimedJob } from '../jobs/queue.ts';
import { instant } from '../util.ts';
import { VERSION } from '../version.ts';
import { prepareFolder, removeDrafts } from './folder.ts';
import { removeOld } from './schedule.ts';
import * as store from './store.ts';

export interface BackupRun {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly log: Logger;
  readonly plan: BackupPlan;
  readonly signal: AbortSignal;
}

type BackupJob = Extract<ClaimedJob, { readonly name: 'backup.run' | 'backup.check' }>;

export async function runBackup(run: BackupRun, { data, leaseToken }: BackupJob): Promise<void> {
  const { db, kind, plan, log, signal } = run;
  const row = await store.byId(db, data.backupId);
  // A restored database has the entry without the row, and an entry may outlive its backup by an attempt.
  if (!row?.active) return;
  const attempt = { id: row.id, leaseToken };
  const timeMs = async () => (await databaseTime(db, kind)).getTime();
  const startedAt = await timeMs();
  await store.begin(db, attempt, startedAt);
  try {
    await prepareFolder(plan.folder);
    await removeDrafts(plan.folder, row.name);
    const written = await write(run, attempt, { path: join(plan.folder, row.name), startedAt });
    await store.end(db, attempt, {
      status: 'COMPLETED',
      ended_at: await timeMs(),
      size_bytes: written.bytes,
      table_count: written.tables,
      row_count: written.rows,
      digest: written.digest,
    });
  } catch (error) {
    if (signal.aborted || unavailableReason(error) !== null) throw error;
    log.error({ err: error, backup: row.name }, 'a backup failed');
    const failed = {
      status: 'FAILED',
      error: sentenceOf(error),
      ended_at: await timeMs(),
    } as const;
    await store.end(db, attempt, failed);
    return;
  }
  await removeOld(db, plan);
}

function write(
  { db, kind, signal }: BackupRun,
  attempt: store.BackupAttempt,
  { path, startedAt }: { readonly path: string; readonly startedAt: number },
): Promise<WrittenBackup> {
  const header = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    quarry: VERSION,
    database: kind,
    createdAt: instant(startedAt),
  } as const;
  const lastCheck = async () => {
    if (await store.isHeld(db, attempt)) return;
    throw new Error('another worker has begun to write the backup, so this one ends');
  };
  // An earlier attempt may have been killed after it had given the file its name.
  return writeBackup(path, { replace: true, signal, lastCheck }, (fill) =>
    withContents({ db, kind }, ({ migrations, parts }) =>
      fill({ header: { ...header, migrations }, parts, progress: () => undefined }),
    ),
  );
}

export async function checkStored(
  { db, kind, plan, log, signal }: BackupRun,
  { data: { backupId } }: BackupJob,
): Promise<void> {
  const row = await store.byId(db, backupId);
  if (!row?.check_status) return;
  const ended = async (error: string | null) => {
    const at = (await databaseTime(db, kind)).getTime();
    const check_status = error === null ? 'COMPLETED' : 'FAILED';
    await store.setCheck(db, backupId, { check_status, check_ended_at: at, check_error: error });
  };
  await store.setCheck(db, backupId, {
    ...{ check_status: 'RUNNING', check_ended_at: null, check_error: null },
  });
  try {
    const { end } = await checkBackup(join(plan.folder, row.name), signal);
    await ended(
      end.digest === row.digest ? null : 'the file is a whole backup, but not the one of this name',
    );
  } catch (error) {
    if (signal.aborted || unavailableReason(error) !== null) throw error;
    log.error({ err: error, backup: row.name }, 'the check of a backup failed');
    await ended(sentenceOf(error));
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free room on the disk of QUARRY_BACKUP_DIR',
  EDQUOT: 'free room on the disk of QUARRY_BACKUP_DIR',
  EACCES:
    'let the user of the worker write into the folder, or name another one by QUARRY_BACKUP_DIR',
  EPERM:
    'let the user of the worker write into the folder, or name another one by QUARRY_BACKUP_DIR',
  EROFS: 'name a folder that can be written by QUARRY_BACKUP_DIR',
};

/** Says also what to do about the usual errors of a folder. */
function sentenceOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  const { code = cause?.code ?? '' } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES[code];
  return remedy === undefined ? message : `${message}; ${remedy}`;
}
