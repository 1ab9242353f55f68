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
  /** A batch has this many rows. */
  readonly batch?: number | undefined;
  /** Reads a batch of rows in the order of cursors. It may leave out rows that need no visit. */
  readonly read: (batch: WalkBatch) => Promise<WalkedRows<Row>>;
  /** Returns true when the page is full after this row. */
  readonly visit: (row: Row) => boolean;
}

export interface WalkedRows<Row> {
  readonly rows: readonly Row[];
  /** This is the position of the last row of the batch; null means that no row of the connection is left. */
  readonly last: WalkBatch['after'];
}

/** Returns a batch of which no row is left out. */
export function wholeBatch<Row extends WalkedRow>(
  rows: readonly Row[],
  { limit }: Pick<WalkBatch, 'limit'>,
): WalkedRows<Row> {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows, last: last ? positionOf(last) : null };
}

export interface WalkedRow {
  readonly entity_id: string;
  /** It is missing where rows are entities. */
  readonly position?: number;
}

const positionOf = ({ entity_id, position = -1 }: WalkedRow) => ({ entity: entity_id, position });

/** Returns the position of the last visited row, or null after the last row. */
export async function walk<Row extends WalkedRow>(
  { connections, from, batch = ROWS_PER_BATCH, read, visit }: Walk<Row>,
  signal: AbortSignal,
): Promise<ContentsCursor | null> {
  const deadline = performance.now() + PAGE_TIMEOUT_MS;
  const letOthers = turns(signal);
  let at = from;
  const left = connections.toSorted().filter((id) => from === undefined || id >= from.connection);
  for (const connection of left) {
    for (;;) {
      signal.throwIfAborted();
      const after = at?.connection === connection ? at : null;
      const { rows, last } = await read({ connection, after, limit: batch });
      for (const row of rows) {
        at = { connection, ...positionOf(row) };
        if (visit(row) || performance.now() > deadline) return at;
        await letOthers();
      }
      if (last === null) break;
      at = { connection, ...last };
      if (performance.now() > deadline) return at;
    }
  }
  return null;
}

/** Returns a function that gives other requests of the thread a turn when this one has had its time. */
function turns(signal: AbortSignal): () => Promise<void> | undefined {
  let turn = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < turn) return undefined;
    return setImmediate().then(() => {
      signal.throwIfAborted();
      turn = performance.now() + TURN_MS;
    });
  };
}
