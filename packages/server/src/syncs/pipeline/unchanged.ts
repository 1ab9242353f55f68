/**
 * A pull collects here the records that it found unchanged, and those that it left out on purpose. They change
 * nothing that is stored, so they wait for a commit that has more to write, until they are many or have waited for a
 * while. Otherwise a sync that finds nothing new would consist mostly of commits and the pauses between them.
 *
 * They must be committed before anything that depends on them: a bookmark, a cursor, a sweep, and a further item of
 * the source about one of these records.
 */

import { addTally, noTally } from '../jobs/tally.ts';
import type { Changes } from './commit.ts';

const MOST = 1000;
const LONGEST_MS = 250;

type PostponedChanges = Pick<Changes, 'seen' | 'leftOut' | 'tally'>;

const nothing: PostponedChanges = { seen: [], leftOut: [], tally: noTally };

/** Returns true when the changes may wait. */
export const mayWait = (changes: Changes): boolean =>
  changes.writes.length + changes.deletions.length === 0 &&
  changes.leftOut.every(({ kind }) => kind === 'skip') &&
  changes.cursor === undefined &&
  changes.bookmark === undefined;

export function createUnchanged() {
  let waiting = nothing;
  let since = 0;
  return {
    add({ seen, leftOut, tally }: PostponedChanges): void {
      if (waiting === nothing) since = performance.now();
      waiting = {
        seen: [...waiting.seen, ...seen],
        leftOut: [...waiting.leftOut, ...leftOut],
        tally: addTally(waiting.tally, tally),
      };
    },

    isEmpty: () => waiting === nothing,

    isDue: () =>
      waiting !== nothing &&
      (waiting.seen.length + waiting.leftOut.length >= MOST ||
        performance.now() - since >= LONGEST_MS),

    /** Tells whether a record with one of these ids of the source waits here. */
    hasAny(ids: readonly string[]): boolean {
      const asked = new Set(ids);
      return waiting.seen.some(({ stored }) => asked.has(stored.entity_id));
    },

    /** Returns everything that waits, and forgets it. */
    take(): PostponedChanges {
      const taken = waiting;
      waiting = nothing;
      return taken;
    },
  };
}
