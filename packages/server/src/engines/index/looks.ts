/**
 * A look reads the index and the rows of collections in one snapshot of the database.
 *
 * All looks of a thread share one copy of each collection in memory, which can only be brought to a newer commit. So
 * looks at one collection take turns. In its turn, a look begins its snapshot, brings the copy to the commit of the
 * snapshot, and asks the index. Then the next look begins, whose snapshot is never older. A look reads rows after its
 * turn, because it does not need the copy for them.
 *
 * A look at several collections queues for all of them in one step. So of any two looks, one is before the other
 * in every queue that they share, and no two looks ever wait for each other.
 */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';

/**
 * `refresh` brings the copies to the commit of the transaction's snapshot, and returns them in a form that can be asked
 * (the view). Each look passes the view to its `find`.
 */
export function createLooks<View>(
  refresh: (tx: Tx, collectionIds: readonly string[]) => Promise<View>,
) {
  const last = new Map<string, Promise<void>>();

  async function look<Found, Read>(
    db: Kysely<Schema>,
    collectionIds: readonly string[],
    work: { find(view: View, tx: Tx): Promise<Found>; read(found: Found, tx: Tx): Promise<Read> },
  ): Promise<Read> {
    const before = collectionIds.map((id) => last.get(id));
    const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
    for (const id of collectionIds) last.set(id, turn);
    try {
      await Promise.all(before);
      return await inSnapshot(db, async (tx) => {
        const found = await work.find(await refresh(tx, collectionIds), tx);
        endTurn();
        return work.read(found, tx);
      });
    } finally {
      endTurn();
      for (const id of collectionIds) if (last.get(id) === turn) last.delete(id);
    }
  }

  return {
    look,
    /** Takes a look that does all its work in its turn. */
    lookInTurn: <Found>(
      db: Kysely<Schema>,
      collectionId: string,
      find: (view: View, tx: Tx) => Promise<Found>,
    ): Promise<Found> => look(db, [collectionId], { find, read: async (found) => found }),
  };
}
