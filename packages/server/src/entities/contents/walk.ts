/**
 * Reads the rows of connections, one batch per statement, until the page is full or its time is over. The next page
 * goes on after the last visited row. Every 10 ms, other requests of the thread get a turn.
 */
import { setImmediate } from 'node:timers/promises';
import type { ContentsCursor } from './cursor.ts';

/** A page that takes longer ends early, so that a caller does not wait too long for an answer. */
const PAGE_TIMEOUT_MS = 2_000;
/** After this time, other requests get their turn. */
const TURN_MS = 10;
const ROWS_PER_BATCH = 200;

export interface WalkBatch {
  readonly connection: string;
  /** The batch begins after this position, or with the first row when this is null. */
  readonly after: Pick<ContentsCursor, 'entity' | 'position'> | null;
  readonly limit: number;
}

export interface Walk<Row> {
  readonly connections: readonly string[];
  readonly from: ContentsCursor | undefined;
  /** Reads a batch of rows in the order of cursors. */
  readonly read: (batch: WalkBatch) => Promise<readonly Row[]>;
  /** Returns true when the page is full after this row. */
  readonly visit: (row: Row) => boolean;
}

/** Returns the position of the last visited row, or null after the last row. */
export async function walk<Row extends { readonly entity_id: string; readonly position?: number }>(
  { connections, from, read, visit }: Walk<Row>,
  signal: AbortSignal,
): Promise<ContentsCursor | null> {
  const deadline = performance.now() + PAGE_TIMEOUT_MS;
  let turn = performance.now() + TURN_MS;
  let at = from;
  const left = connections.toSorted().filter((id) => from === undefined || id >= from.connection);
  for (const connection of left) {
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted();
      const after = at?.connection === connection ? at : null;
      const rows = await read({ connection, after, limit: ROWS_PER_BATCH });
      isMore = rows.length === ROWS_PER_BATCH;
      for (const row of rows) {
        at = { connection, entity: row.entity_id, position: row.position ?? -1 };
        if (visit(row) || performance.now() > deadline) return at;
        if (performance.now() < turn) continue;
        await setImmediate();
        signal.throwIfAborted();
        turn = performance.now() + TURN_MS;
      }
    }
  }
  return null;
}
