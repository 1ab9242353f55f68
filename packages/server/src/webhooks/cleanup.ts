/** This job removes the rows of a deleted subscription, a few at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { removeRecoveries, removeSome } from './retention-store.ts';

/** The job pauses between two steps so that other transactions can write. */
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
