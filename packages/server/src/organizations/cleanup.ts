/**
 * This job removes the rows of a deleted organization in short transactions. It need not be quick, because no request
 * reaches the organization after its deletion. The row of the organization is removed last, so that another worker can
 * continue when this worker dies.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { PostponeJob } from '../jobs/work.ts';
import * as store from './removal-store.ts';

/** Other transactions can write during the pause between two steps. */
const PAUSE_MS = 3;
const RETRY_MS = 1000;

interface OrganizationCleanup {
  readonly db: Kysely<Schema>;
  /** The function removes everything that is in a deleted collection, and the collection itself. */
  readonly cleanCollection: (collectionId: string) => Promise<void>;
}

export async function cleanOrganization(
  { db, cleanCollection }: OrganizationCleanup,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const collection = await store.nextCollection(db, organizationId);
    if (collection === undefined) break;
    await cleanCollection(collection);
  }
  // Collections that were deleted before the organization have their own jobs, which remove them.
  if (await store.hasCollections(db, organizationId))
    throw new PostponeJob(RETRY_MS, 'collections of the organization are being removed');
  while (await store.removeSome(db, organizationId)) {
    signal.throwIfAborted();
    await sleep(PAUSE_MS);
  }
  await db.transaction().execute((tx) => store.removeLast(tx, organizationId));
}
