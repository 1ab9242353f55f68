/** Scheduled backups: when the next one is due, and which of them are kept. */
import type { Kysely } from 'kysely';
import type { BackupPlan } from '../backup-settings.ts';
import type { Schema } from '../db/schema.ts';
import { removeFile } from './folder.ts';
import { order } from './order.ts';
import * as store from './store.ts';

/** A scheduled backup that failed is tried again after this time, or earlier by a shorter schedule. */
const RETRY_MS = 3_600_000;
/** The list shows this many scheduled backups that failed. */
const FAILED_KEPT = 10;

/** Asks for a backup when one is due. Returns true when it has done so. Several workers may ask at once. */
export async function orderDue(
  db: Kysely<Schema>,
  { everyMs }: Pick<BackupPlan, 'everyMs'>,
  now: number,
): Promise<boolean> {
  if (everyMs === null) return false;
  return db.transaction().execute(async (tx) => {
    const last = await store.lastScheduled(tx);
    const waitMs = last?.status === 'FAILED' ? Math.min(RETRY_MS, everyMs) : everyMs;
    // A clock that was once far ahead does not keep backups from being made.
    if (last && now < last.created_at + waitMs && last.created_at <= now + everyMs) return false;
    return (await order(tx, { trigger: 'schedule', now })) !== null;
  });
}

/** Removes scheduled backups that newer ones have replaced. */
export async function removeOld(
  db: Kysely<Schema>,
  { folder, keep }: Pick<BackupPlan, 'folder' | 'keep'>,
): Promise<void> {
  const old = [
    ...(await store.scheduledBeyond(db, { status: 'COMPLETED', keep })),
    ...(await store.scheduledBeyond(db, { status: 'FAILED', keep: FAILED_KEPT })),
  ];
  for (const { id, name } of old) {
    await removeFile(folder, name);
    await db.transaction().execute((tx) => store.removeEnded(tx, id));
  }
}
