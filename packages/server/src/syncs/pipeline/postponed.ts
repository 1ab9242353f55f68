/**
 * A pull collects here the records that it found unchanged, and the records that it left out on purpose. They change
 * no content, so they wait for a commit of other changes, but at most until 1,000 records wait or the first one has
 * waited for 250 ms. Otherwise a sync that finds nothing new would consist mostly of commits and the pauses between
 * them.
 *
 * The caller must commit the waiting records at the latest together with a bookmark or a cursor, and before a sweep. It
 * must also commit them before it takes another item about a record that waits as unchanged. That item is compared with
 * the stored row of the record, and the commit changes this row. For a record that was left out on purpose, the commit
 * changes no row, so another item about this record does not have to wait.
 */

import { addTally, noTally } from '../jobs/tally.ts';
import type { Changes } from './changes.ts';
import { ofKind } from './decision.ts';

const MAX_WAITING = 1000;
const MAX_WAIT_MS = 250;

type PostponedChanges = Pick<Changes, 'decisions' | 'leftOut' | 'tally'>;

const none: PostponedChanges = { decisions: [], leftOut: [], tally: noTally };

export const mayWait = ({ decisions, cursor, bookmark }: Changes): boolean =>
  decisions.every(({ kind }) => kind === 'touch' || kind === 'skip') &&
  cursor === undefined &&
  bookmark === undefined;

export const combine = (a: PostponedChanges, b: PostponedChanges): PostponedChanges => ({
  decisions: [...a.decisions, ...b.decisions],
  leftOut: [...a.leftOut, ...b.leftOut],
  tally: addTally(a.tally, b.tally),
});

export function createPostponed() {
  let waiting = none;
  let since = 0;
  return {
    add(changes: PostponedChanges): void {
      if (waiting === none) since = performance.now();
      waiting = combine(waiting, changes);
    },

    isEmpty: () => waiting === none,

    isDue: () =>
      waiting !== none &&
      (waiting.decisions.length >= MAX_WAITING || performance.now() - since >= MAX_WAIT_MS),

    /** Returns true when a record with one of these entity_ids, or a record below it, waits as unchanged. */
    hasUnchanged(entityIds: readonly string[]): boolean {
      const asked = new Set(entityIds);
      return ofKind(waiting.decisions, 'touch').some(
        ({ stored, parent }) =>
          asked.has(stored.entity_id) || (parent !== null && asked.has(parent)),
      );
    },

    /** Returns everything that waits, and forgets it. */
    take(): PostponedChanges {
      const taken = waiting;
      waiting = none;
      return taken;
    },
  };
}
