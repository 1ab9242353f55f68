/** Follows the connections, and checks which cursors they may have. */

import { hold, same } from '../../random/violation.ts';
import type { JobView } from './job-view.ts';
import type { ConnectionRow } from './observe.ts';

export interface ConnectionView {
  row: ConnectionRow;
  /** The connection's company has this key. */
  readonly key: string;
  /**
   * These count how often the connection was configured after its creation: until now, and until the last completed full
   * sync began. The second is 0 before the first full sync.
   */
  configurations: number;
  configurationsAtFull: number;
  /** The part of the source for which the cursor was written. */
  cursorPart: string | undefined;
}

/** Returns the connections whose cursor has moved. */
export function followConnections(
  views: Map<string, ConnectionView>,
  rows: readonly ConnectionRow[],
): ConnectionView[] {
  const moved: ConnectionView[] = [];
  const present = new Set<string>();
  for (const row of rows) {
    present.add(row.id);
    const view = views.get(row.id);
    if (!view) {
      const { key } = JSON.parse(row.config);
      views.set(row.id, {
        row,
        key,
        configurations: 0,
        configurationsAtFull: 0,
        cursorPart: undefined,
      });
      continue;
    }
    const { deleted_at, configured_at, cursor } = view.row;
    const isBack = deleted_at !== null && row.deleted_at === null;
    hold(!isBack, 'nothing deleted comes back', () => row.id);
    // A full sync sets `configured_at` back to its own start, so only a later instant is a new configuration.
    if (row.configured_at > configured_at) {
      view.configurations++;
      same(row.cursor, null, 'another configuration begins from the start', row.id);
    }
    if (row.cursor !== cursor && row.cursor !== null && row.cursor !== 'null') moved.push(view);
    view.row = row;
  }
  for (const [id, { row }] of views)
    if (!present.has(id)) {
      hold(row.deleted_at !== null, 'no connection goes by itself', () => id);
      views.delete(id);
    }
  return moved;
}

/** Checks the cursor of a completed sync, unless the connection was configured again during the sync. */
export function checkCursorAtEnd({ row, configurations }: ConnectionView, mover: JobView): void {
  const last = mover.attempt?.batches.findLast(({ cursor }) => cursor !== undefined)?.cursor;
  if (last === undefined || mover.configurations !== configurations) return;
  same(row.cursor, JSON.stringify(last), 'the next sync goes on where this one has ended', row.id);
}

/** A new cursor must be one of a checkpoint. The records before that checkpoint are checked with the rows. */
export function checkCursor(view: ConnectionView, mover: JobView | undefined): void {
  const { row } = view;
  hold(mover?.attempt, 'only a sync moves its cursor', () => row.id);
  const { batches, part: said } = mover.attempt;
  const at = batches.findLastIndex(
    ({ cursor }) => cursor !== undefined && JSON.stringify(cursor) === row.cursor,
  );
  hold(at >= 0, 'a cursor is one of a checkpoint', () => `${row.cursor}`);
  const { part = 'all' } = JSON.parse(row.config);
  same(said, part, 'a cursor is one of the configuration that stands', row.id);
  view.cursorPart = part;
  if (!mover.row.full) mover.cursorAt = at;
}
