/**
 * What a pull has seen and found as it is stored, and what it has left out on purpose. Nothing that is
 * stored changes by it, so it waits for one that has more to say, until it is much or a while has passed: a sync that finds
 * nothing new would else be mostly commits, and the pauses between them.
 *
 * It must be committed before anything that rests on it: a bookmark, a cursor, a sweep, and what else
 * the source says of one of its records.
 */

import { addTally, noTally } from '../jobs/tally.ts';
import type { Changes } from './commit.ts';

const MOST = 1000;
const LONGEST_MS = 250;

type PostponedChanges = Pick<Changes, 'seen' | 'leftOut' | 'tally'>;

const nothing: PostponedChanges = { seen: [], leftOut: [], tally: noTally };

/** True when it may wait. */
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

    /** Whether one of these records, by the source's ids, is in it. */
    hasAny(ids: readonly string[]): boolean {
      const asked = new Set(ids);
      return waiting.seen.some(({ stored }) => asked.has(stored.entity_id));
    },

    /** All of it, which then waits no more. */
    take(): PostponedChanges {
      const taken = waiting;
      waiting = nothing;
      return taken;
    },
  };
}
