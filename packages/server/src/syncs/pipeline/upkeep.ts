/**
 * Commits leave work behind in the index, and upkeep does this work in small steps. During a sync, every fourth commit
 * is followed by one step, so that the work never piles up. The rest is done in idle moments of the worker.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { unavailableReason } from '../../db/unavailable.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { PAUSE_MS } from './limits.ts';

const COMMITS_PER_STEP = 4;

export interface Upkeep {
  /** Runs after each commit of a sync. */
  committed(collectionId: string): Promise<void>;
  /** Runs after a commit that a caller waits for, and leaves the steps to idle moments. */
  pushed(collectionId: string): void;
  /** Does steps until no collection has work left, or until `mayGoOn` returns false. */
  tidy(mayGoOn: () => boolean): Promise<void>;
}

/** `collections` may have work left from an earlier process. */
export function createUpkeep(
  { db, index }: { db: Kysely<Schema>; index: SearchIndex },
  collections: readonly string[],
): Upkeep {
  const untidy = new Map<string, number>(collections.map((id) => [id, 0]));

  /** Counts a commit. Returns how many commits the collection has had since it had no work left. */
  function note(collectionId: string): number {
    const commits = (untidy.get(collectionId) ?? 0) + 1;
    untidy.set(collectionId, commits);
    return commits;
  }

  /** When the index of a collection is broken, its upkeep stops until the collection's next commit. */
  async function step(collectionId: string): Promise<boolean> {
    try {
      return await index.maintain(db, collectionId);
    } catch (error) {
      if (!unavailableReason(error)) untidy.delete(collectionId);
      throw error;
    }
  }

  return {
    async committed(collectionId) {
      if (note(collectionId) % COMMITS_PER_STEP === 0) await index.maintain(db, collectionId);
    },

    pushed: (collectionId) => void note(collectionId),

    async tidy(mayGoOn) {
      for (const collectionId of [...untidy.keys()]) {
        while (mayGoOn() && untidy.has(collectionId)) {
          const commits = untidy.get(collectionId);
          const isTidy = !(await step(collectionId));
          // A commit during the step may have left new work.
          if (isTidy && untidy.get(collectionId) === commits) untidy.delete(collectionId);
          await sleep(PAUSE_MS);
        }
      }
    },
  };
}
