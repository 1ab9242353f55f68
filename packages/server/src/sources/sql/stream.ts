/**
 * Reads the rows of a statement as the server sends them, for a reader that may be slower than the server.
 *
 * Drivers pass on rows as they arrive. When MAX_BUFFERED characters are buffered here, the socket is paused, and the
 * server waits. So the buffer is limited by its size and not by the number of rows.
 */
import type { Readable } from 'node:stream';
import type { Batches } from './database.ts';
import type { RawRow } from './shape.ts';

/** The socket is paused when this many characters are buffered. The last row may exceed the limit. */
const MAX_BUFFERED = 1_000_000;

/** A driver calls these functions while it reads the rows of one statement. */
export interface RowListener {
  row(row: RawRow): void;
  /** Ends the rows, with the error if there is one. */
  end(error: Error | null): void;
}

/** Yields rows in batches. The connection cannot be used for anything else until the last batch was read. */
export async function* readRows(socket: Readable, start: (listener: RowListener) => void): Batches {
  let buffered: RawRow[] = [];
  let size = 0;
  let end: { error: Error | null } | undefined;
  let arrival = Promise.withResolvers<void>();
  start({
    row(row) {
      buffered.push(row);
      size += lengthOf(row);
      if (size >= MAX_BUFFERED) socket.pause();
      arrival.resolve();
    },
    end(error) {
      end ??= { error };
      arrival.resolve();
    },
  });
  for (;;) {
    await arrival.promise;
    const batch = buffered;
    buffered = [];
    size = 0;
    if (!end) arrival = Promise.withResolvers<void>();
    socket.resume();
    if (end?.error) throw end.error;
    if (batch.length > 0) yield batch;
    else if (end) return;
  }
}

const lengthOf = (row: RawRow): number =>
  row.reduce((sum, value) => sum + (value?.length ?? 0), row.length);
