/**
 * A look reads the index and the rows of a collection in one snapshot of the database.
 *
 * All looks of a process share what it holds of the collection in memory, and this memory only moves forward. So
 * looks at one collection take turns: each begins its snapshot, brings the memory there, and asks the index; only
 * then the next one begins, whose snapshot is never older. Therefore the memory and the snapshot belong to one
 * commit as long as a look asks. When it goes on with rows, it needs the memory no more, and its turn is over.
 */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';

/** `open` brings the memory to the snapshot of the transaction, and returns what `find` asks. */
export function createLooks<View>(open: (tx: Tx, collectionId: string) => Promise<View>) {
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
        const found = await work.find(await open(tx, collectionId), tx);
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
    /** Takes a look that reads no rows. */
    ask: <Found>(
      db: Kysely<Schema>,
      collectionId: string,
      find: (view: View, tx: Tx) => Promise<Found>,
    ): Promise<Found> => look(db, collectionId, { find, read: async (found) => found }),
  };
}
