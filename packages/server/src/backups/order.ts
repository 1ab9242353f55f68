/** Asks a worker for a backup, by a request or by schedule. */
import type { Tx } from '../db/schema.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Cause } from '../telemetry/trace.ts';
import { newId } from '../util.ts';
import { nameOf } from './folder.ts';
import * as store from './store.ts';

/** Backups and checks of backups run one after the other. */
export const LANE = 'backups';

interface BackupOrder {
  readonly trigger: store.BackupRow['trigger'];
  readonly now: number;
  readonly cause?: Cause;
}

/** Returns null when another backup has not ended. */
export async function order(
  tx: Tx,
  { trigger, now, cause }: BackupOrder,
): Promise<{ readonly id: string; readonly name: string } | null> {
  const id = newId();
  const name = nameOf(id, now);
  if (!(await store.insert(tx, { id, name, trigger, created_at: now }))) return null;
  await enqueue(tx, 'backup.run', { data: { backupId: id }, lane: LANE, cause });
  return { id, name };
}
