/**
 * Reads the rows of a statement as the server sends them, for a reader that may be slower than the server.
 *
 * The driver passes on rows as they arrive. When MAX_BUFFERED characters are buffered here, the socket is paused, and
 * the server waits. So the buffer is limited by its size and not by the number of rows.
 */
import pg from 'pg';

/** The socket is paused when this many characters are buffered. The last row may exceed the limit. */
const MAX_BUFFERED = 1_000_000;

/** The values are in PostgreSQL's text form. */
export type RawRow = readonly (string | null)[];

/** Makes a query for the extended protocol, which allows exactly one statement. */
export const extended = (text: string, values: readonly unknown[]) => ({
  text,
  values: [...values],
  queryMode: 'extended' as const,
});

const asText = { getTypeParser: () => (text: string) => text };

/** Yields rows in batches. The connection cannot be used for anything else until the last batch was read. */
export async function* readRows(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): AsyncGenerator<readonly RawRow[], void, void> {
  const { stream } = client.connection;
  const config = { ...extended(text, values), rowMode: 'array' as const, types: asText };
  let buffered: RawRow[] = [];
  let size = 0;
  let end: { error: Error | null } | undefined;
  let arrival = Promise.withResolvers<void>();
  const query = client.query(new pg.Query(config));
  query.on('row', (row: unknown) => {
    buffered.push(row as RawRow);
    size += lengthOf(row as RawRow);
    if (size >= MAX_BUFFERED) stream.pause();
    arrival.resolve();
  });
  query.on('error', (error) => {
    end = { error };
    arrival.resolve();
  });
  query.on('end', () => {
    end = { error: null };
    arrival.resolve();
  });
  for (;;) {
    await arrival.promise;
    const batch = buffered;
    buffered = [];
    size = 0;
    if (!end) arrival = Promise.withResolvers<void>();
    stream.resume();
    if (end?.error) throw end.error;
    if (batch.length > 0) yield batch;
    else if (end) return;
  }
}

const lengthOf = (row: RawRow): number =>
  row.reduce((sum, value) => sum + (value?.length ?? 0), row.length);
