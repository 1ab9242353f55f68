/**
 * Removes the rows of deleted connections, collections and organizations. No caller can reach these rows, so the work
 * may take its time: a step removes only a few of them, so that it does not disturb other work. Between the steps the
 * index is tidied, because with pg_textsearch its words are at first only marked as deleted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { endTurnsOf, removeSomeOfConnection } from '../../rate-limits/removal-store.ts';
import { removeMembers } from '../pipeline/members-store.ts';
import type { Upkeep } from '../pipeline/upkeep.ts';
import * as store from './cleanup-store.ts';
import { removeJobs } from './janitor-store.ts';

const ENTITIES_PER_COMMIT = 50;
const JOBS_PER_COMMIT = 100;
const MEMBERS_PER_COMMIT = 500;
const PAUSE_MS = 3;

export interface CleanupDeps {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly upkeep: Upkeep;
}

export async function cleanConnection(
  { db, index, upkeep }: CleanupDeps,
  scope: { connectionId: string; collectionId: string },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const entities = await store.someEntities(db, scope, ENTITIES_PER_COMMIT);
    if (entities.length === 0) break;
    await db.transaction().execute(async (tx) => {
      await index.write(tx, scope, entities, []);
      await store.removeEntities(tx, scope.collectionId, entities);
    });
    await upkeep.committed(scope.collectionId);
    await sleep(PAUSE_MS);
  }
  for (;;) {
    const jobs = await store.someJobs(db, scope.connectionId, JOBS_PER_COMMIT);
    if (jobs.length === 0) break;
    for await (const _ of removeJobs(db, jobs)) {
      signal.throwIfAborted();
      await sleep(PAUSE_MS);
    }
  }
  while ((await removeMembers(db, scope.connectionId, MEMBERS_PER_COMMIT)) > 0) {
    signal.throwIfAborted();
    await sleep(PAUSE_MS);
  }
  while (await removeSomeOfConnection(db, scope.connectionId)) {
    signal.throwIfAborted();
    await sleep(PAUSE_MS);
  }
  await db.transaction().execute(async (tx) => {
    await endTurnsOf(tx, scope.connectionId);
    await store.removeConnection(tx, scope.connectionId);
  });
}

export async function cleanCollection(
  deps: CleanupDeps,
  collectionId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const connectionId of await store.connectionsOf(deps.db, collectionId)) {
    await cleanConnection(deps, { connectionId, collectionId }, signal);
  }
  await deps.db.transaction().execute(async (tx) => {
    await deps.index.drop(tx, collectionId);
    await store.removeCollection(tx, collectionId);
  });
}
