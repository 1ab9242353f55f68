/**
 * A view decides which part of a collection an asker may see: first which connections, as of one moment, and then
 * which of the rows that were read from them.
 */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { everything } from '../../model/filter.ts';
import { type Asker, expandPrincipals, openView } from '../../search/access.ts';
import { maySee } from '../../search/read.ts';

export type ContentsView = Awaited<ReturnType<typeof openContents>>;

/** Says whether the asker may see a row. */
type Sees = (row: Parameters<typeof maySee>[1]) => boolean;

export async function openContents(db: Kysely<Schema>, asker: Asker) {
  const view = await openView(db, asker);
  const { live, principals } = view.scope(everything);
  return {
    ...view,
    live,
    /** The list also holds the asker's groups; null means that access control does not apply. */
    principals,
    /** Returns the ids of the connections of this source, or of all connections when no source is given. */
    of: (source: string | undefined) =>
      view.connections
        .filter(({ short_name }) => source === undefined || short_name === source)
        .map((connection) => connection.id),
    /**
     * The rows that `work` reads and the groups of the asker belong to one snapshot, so that a user who has left a
     * group cannot read a text that was written afterwards.
     */
    look: <T>(work: (tx: Tx, sees: Sees) => Promise<T>): Promise<T> =>
      inSnapshot(db, async (tx) => {
        const held = await expandPrincipals(tx, asker);
        const principals = held && new Set(held);
        return work(tx, (row) => maySee(principals, row));
      }),
  };
}
