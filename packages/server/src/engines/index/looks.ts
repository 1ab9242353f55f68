/**
 * A look reads the index and the rows of a collection in one snapshot of the database.
 *
 * All looks of a thread share one copy of the collection in memory, which can only be brought to a newer commit. So
 * looks at one collection take turns. In its turn, a look begins its snapshot, brings the copy to the commit of the
 * snapshot, and asks the index. Then the next look begins, whose snapshot is never older. A look reads rows after its
 * turn, because it does not need the copy for them.
 */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';

/**
 * `refresh` brings the copy to the commit of the transaction's snapshot, and returns it in a form that can be asked
 * (the view). Each look passes the view to its `find`.
 */
export function createLooks<View>(refresh: (tx: Tx, collectionId: string) => Promise<View>) {
  const last = new Map<string, Promise<void>>();

  async function look<Found, Read>(
    db: Kysely<Schema>,
    collectionId: string,
    work: { find(view: View, tx: Tx): Promise<Found>; read(found: Found, tx: Tx): Promise<Read> },
  ): Promise<Read> {
    const before = last.get(collectionId);
    const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
    last.set(collectionId, turn);
    try {
      await before;
      return await inSnapshot(db, async (tx) => {
        const found = await work.find(await refresh(tx, collectionId), tx);
        endTurn();
        return work.read(found, tx);
      });
    } finally {
      endTurn();
      if (last.get(collectionId) === turn) last.delete(collectionId);
    }
  }

  return {
    look,
    /** Takes a look that does all its work in its turn. */
    lookInTurn: <Found>(
      db: Kysely<Schema>,
      collectionId: string,
      find: (view: View, tx: Tx) => Promise<Found>,
    ): Promise<Found> => look(db, collectionId, { find, read: async (found) => found }),
  };
}
