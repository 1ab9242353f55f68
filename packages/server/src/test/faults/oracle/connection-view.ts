/** What the oracle knows of connections, and what their cursors may be. */
import type { JobView } from './job-view.ts';
import type { ConnectionRow } from './observe.ts';
import { hold, same } from './violation.ts';

export interface ConnectionView {
  row: ConnectionRow;
  /** Of its company. */
  readonly key: string;
  /** How often it has been configured, and how often when the last full sync was begun. */
  configurations: number;
  configurationsAtFull: number | undefined;
  /** The part of the source under which the cursor was written. */
  cursorPart: string | undefined;
}

/** Gives those whose cursor has moved. */
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
        configurationsAtFull: undefined,
        cursorPart: undefined,
      });
      continue;
    }
    const { deleted_at, configured_at, cursor } = view.row;
    const isBack = deleted_at !== null && row.deleted_at === null;
    hold(!isBack, 'nothing deleted comes back', () => row.id);
    // A full sync takes the instant back to its own start.
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

/** Of a sync that is completed, under a configuration that still stands. */
export function checkCursorAtEnd({ row, configurations }: ConnectionView, mover: JobView): void {
  const last = mover.attempt?.batches.findLast(({ cursor }) => cursor !== undefined)?.cursor;
  if (last === undefined || mover.configurations !== configurations) return;
  same(row.cursor, JSON.stringify(last), 'the next sync goes on where this one has ended', row.id);
}

/** Where the source may go on is where a checkpoint of it stood; what lies before it is looked at with the rows. */
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
