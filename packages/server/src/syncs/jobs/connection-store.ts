/** A sync locks the row of its connection, and writes its cursor there. */
import { sql } from 'kysely';
import type { Tx } from '../../db/schema.ts';
import { chunked } from '../../util.ts';

const IDS = 500;

/** Resolves false when the connection has been deleted. Its row stays locked until the transaction ends. */
export const lockConnection = async (tx: Tx, connectionId: string): Promise<boolean> =>
  (await lockConnections(tx, [connectionId])).length > 0;

/**
 * Returns the ids of the connections that have not been deleted. Their rows stay locked until the transaction ends.
 */
export async function lockConnections(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const held: string[] = [];
  for (const some of chunked(ids, IDS)) {
    const rows = await tx
      .updateTable('connections')
      // This update changes nothing: it locks the rows on both databases.
      .set({ generation: sql`generation` })
      .where('id', 'in', some)
      .where('deleted_at', 'is', null)
      .returning('id')
      .execute();
    held.push(...rows.map(({ id }) => id));
  }
  return held;
}

/** A cursor is valid only while the connection has the configuration of `configuredAt` and the same `cursorField`. */
export interface CursorOrigin {
  readonly configuredAt: number;
  readonly cursorField: string | null;
}

/** A source may go on from `at`. */
export interface SourceCursor extends CursorOrigin {
  readonly at: unknown;
}

/**
 * Stores the cursor, unless the configuration or the field has changed since the job read them. Then the next pull
 * starts from the beginning.
 */
export async function writeCursor(
  tx: Tx,
  connectionId: string,
  { configuredAt, cursorField, at }: SourceCursor,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ cursor: JSON.stringify(at) })
    .where('id', '=', connectionId)
    .where('configured_at', '=', configuredAt)
    .where('cursor_field', cursorField === null ? 'is' : '=', cursorField)
    .execute();
}
