/**
 * What a pull has seen and found as it is stored. A commit says of it no more than that it was seen, so
 * it waits for one that has more to say, until it is much or a while has passed: a sync that finds
 * nothing new would else be mostly commits, and the pauses between them.
 *
 * It must be committed before anything that rests on it: a bookmark, a cursor, a sweep, and what else
 * the source says of one of its records.
 */
import type { Changes } from './commit.ts';
import { addTally, noTally } from './tally.ts';

const MOST = 1000;
const LONGEST_MS = 250;

type Waiting = Pick<Changes, 'seen' | 'tally'>;

const nothing: Waiting = { seen: [], tally: noTally };

/** True when it may wait. */
export const mayWait = (changes: Changes): boolean =>
  changes.writes.length + changes.deletions.length + changes.failures.length === 0 &&
  changes.cursor === undefined &&
  changes.bookmark === undefined;

export function createUnchanged() {
  let waiting = nothing;
  let since = 0;
  return {
    add({ seen, tally }: Waiting): void {
      if (waiting === nothing) since = performance.now();
      waiting = { seen: [...waiting.seen, ...seen], tally: addTally(waiting.tally, tally) };
    },

    isEmpty: () => waiting === nothing,

    isDue: () =>
      waiting !== nothing &&
      (waiting.seen.length >= MOST || performance.now() - since >= LONGEST_MS),

    /** Whether one of these records, by the source's ids, is in it. */
    hasAny(ids: readonly string[]): boolean {
      const asked = new Set(ids);
      return waiting.seen.some(({ stored }) => asked.has(stored.entity_id));
    },

    /** All of it, which then waits no more. */
    take(): Waiting {
      const taken = waiting;
      waiting = nothing;
      return taken;
    },
  };
}
