/**
 * This file reads the rows of connections one batch per statement, until the page is full or its time is over. The
 * next page goes on there. Every 10 ms the thread serves other requests.
 */
import { setImmediate } from 'node:timers/promises';
import type { ContentsCursor } from './cursor.ts';

/** A page that takes longer ends early, so that a caller does not wait too long for an answer. */
const PATIENCE_MS = 2_000;
/** After this time, other requests get their turn. */
const TURN_MS = 10;
const BATCH = 200;

export interface WalkBatch {
  readonly connection: string;
  /** The batch begins with the first row when this is null. */
  readonly after: Pick<ContentsCursor, 'entity' | 'position'> | null;
  readonly limit: number;
}

export interface Walk<Row> {
  readonly connections: readonly string[];
  readonly from: ContentsCursor | undefined;
  /** Returns the rows of the connection in the order of cursors. */
  readonly read: (batch: WalkBatch) => Promise<readonly Row[]>;
  /** Returns true when the page is full now. */
  readonly visit: (row: Row) => boolean;
}

/** Returns the place of the last visited row, or null when no row is left. */
export async function walk<Row extends { readonly entity_id: string; readonly position?: number }>(
  { connections, from, read, visit }: Walk<Row>,
  signal: AbortSignal,
): Promise<ContentsCursor | null> {
  const deadline = performance.now() + PATIENCE_MS;
  let turn = performance.now() + TURN_MS;
  let at = from;
  const left = connections.toSorted().filter((id) => from === undefined || id >= from.connection);
  for (const connection of left) {
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted();
      const after = at?.connection === connection ? at : null;
      const rows = await read({ connection, after, limit: BATCH });
      isMore = rows.length === BATCH;
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
