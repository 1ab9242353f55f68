/**
 * A view decides which part of a collection an asker may see: the connections, which are read once at the beginning,
 * and the rows in them to which the asker has access.
 */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../../db/schema.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { everything } from '../../model/filter.ts';
import { type Asker, expandPrincipals, readView } from '../../search/access.ts';
import { maySee } from '../../search/read.ts';
import { must } from '../../util.ts';

export type ContentsView = Awaited<ReturnType<typeof openContents>>;

export interface NarrowedView {
  readonly source?: string | undefined;
  readonly connection?: string | undefined;
}

/** Returns true when the asker may see the row. */
type CanSee = (row: Parameters<typeof maySee>[1]) => boolean;

/** The asker asks for one collection. */
export async function openContents(db: Kysely<Schema>, asker: Asker) {
  const view = await readView(db, asker);
  const { live, principals } = view.scope(everything);
  const [collectionId] = asker.collectionIds;
  return {
    ...view,
    collectionId: must(collectionId),
    live,
    /** This list also contains the groups of the asker; null means that access control does not apply. */
    principals,
    /** Returns the ids of the connections of this source and with this id. Without them, every connection counts. */
    idsOf: ({ source, connection }: NarrowedView) =>
      view.connections
        .filter(
          ({ id, short_name }) =>
            (source === undefined || short_name === source) &&
            (connection === undefined || id === connection),
        )
        .map(({ id }) => id),
    /**
     * Runs `work` in a snapshot, and reads the groups of the asker in the same snapshot. Otherwise a user who has left a
     * group could read a text that was written afterwards.
     */
    look: <T>(work: (tx: Tx, canSee: CanSee) => Promise<T>): Promise<T> =>
      inSnapshot(db, async (tx) => {
        const expanded = await expandPrincipals(tx, asker);
        const principals = expanded && new Set(expanded);
        return work(tx, (row) => maySee(principals, row));
      }),
  };
}
