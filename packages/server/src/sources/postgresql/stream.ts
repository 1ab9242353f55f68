/**
 * Rows come as the server sends them, for a reader that may be slower.
 *
 * The driver hands out rows as they come. When HELD characters wait here, the socket is not read any more, and the
 * server waits. So the held rows are limited by size, not by number.
 */
import pg from 'pg';

/** This many characters are held for a slow reader. A row is always held as a whole. */
const HELD = 1_000_000;

/** The values are those that PostgreSQL writes. */
export type RawRow = readonly (string | null)[];

/** The extended protocol takes exactly one statement. */
export const extended = (text: string, values: readonly unknown[]) => ({
  text,
  values: [...values],
  queryMode: 'extended' as const,
});

const asText = { getTypeParser: () => (text: string) => text };

/** Yields rows in runs. The connection cannot be used for anything else until the last run was read. */
export async function* readRows(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): AsyncGenerator<readonly RawRow[], void, void> {
  const { stream } = client.connection;
  const config = { ...extended(text, values), rowMode: 'array' as const, types: asText };
  let held: RawRow[] = [];
  let size = 0;
  let end: { error: Error | null } | undefined;
  let news = Promise.withResolvers<void>();
  const query = client.query(new pg.Query(config));
  query.on('row', (row: unknown) => {
    held.push(row as RawRow);
    size += lengthOf(row as RawRow);
    if (size >= HELD) stream.pause();
    news.resolve();
  });
  query.on('error', (error) => {
    end = { error };
    news.resolve();
  });
  query.on('end', () => {
    end = { error: null };
    news.resolve();
  });
  for (;;) {
    await news.promise;
    const run = held;
    held = [];
    size = 0;
    if (!end) news = Promise.withResolvers<void>();
    stream.resume();
    if (end?.error) throw end.error;
    if (run.length > 0) yield run;
    else if (end) return;
  }
}

const lengthOf = (row: RawRow): number =>
  row.reduce((sum, value) => sum + (value?.length ?? 0), row.length);
