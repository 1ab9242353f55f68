/** What a sync takes and leaves of its connection's row. */
import { sql } from 'kysely';
import type { Tx } from '../../db/schema.ts';
import { chunked } from '../../util.ts';

const IDS = 500;

/** False when the connection has been deleted. Its row stays locked until the transaction ends. */
export const holdConnection = async (tx: Tx, connectionId: string): Promise<boolean> =>
  (await holdConnections(tx, [connectionId])).length > 0;

/** Gives those that have not been deleted; their rows stay locked until the transaction ends. */
export async function holdConnections(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const held: string[] = [];
  for (const some of chunked(ids, IDS)) {
    const rows = await tx
      .updateTable('connections')
      .set({ generation: sql`generation` })
      .where('id', 'in', some)
      .where('deleted_at', 'is', null)
      .returning('id')
      .execute();
    held.push(...rows.map(({ id }) => id));
  }
  return held;
}

/** Of which configuration, and of which field of the records, a cursor is. */
export interface CursorOrigin {
  readonly configuredAt: number;
  readonly cursorField: string | null;
}

/** Not when one of them has changed since the job read it: then the next pull begins anew. */
export async function writeCursor(
  tx: Tx,
  connectionId: string,
  { configuredAt, cursorField }: CursorOrigin,
  cursor: unknown,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ cursor: JSON.stringify(cursor) })
    .where('id', '=', connectionId)
    .where('configured_at', '=', configuredAt)
    .where('cursor_field', cursorField === null ? 'is' : '=', cursorField)
    .execute();
}
