/** Removes what is left of a deleted subscription, a few rows at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { removeRecoveries, removeSome } from './retention-store.ts';

/** Between two steps others may write. */
const PAUSE_MS = 3;

export async function cleanSubscription(
  db: Kysely<Schema>,
  subscriptionId: string,
  signal: AbortSignal,
): Promise<void> {
  while (await removeSome(db, subscriptionId)) {
    signal.throwIfAborted();
    await sleep(PAUSE_MS);
  }
  await removeRecoveries(db, subscriptionId);
}
