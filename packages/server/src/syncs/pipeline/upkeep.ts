/**
 * Writing leaves work behind in the index, which is done in small steps: a step every few commits of a load, so that
 * the work never piles up, and the rest when there is nothing else to do.
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
  /** Works until everything is in order, or until `mayGoOn` returns false. */
  tidy(mayGoOn: () => boolean): Promise<void>;
}

/** `collections` are those that an earlier process may have left in disorder. */
export function createUpkeep(
  { db, index }: { db: Kysely<Schema>; index: SearchIndex },
  collections: readonly string[],
): Upkeep {
  const untidy = new Map<string, number>(collections.map((id) => [id, 0]));

  /** Returns how many commits the collection has had since it was in order. */
  function note(collectionId: string): number {
    const commits = (untidy.get(collectionId) ?? 0) + 1;
    untidy.set(collectionId, commits);
    return commits;
  }

  /** A broken index waits for its next commit, so that it blocks neither the other collections nor later work. */
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
