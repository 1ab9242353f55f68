/** Brings the copy of a collection in memory to the commit of a snapshot. */
import type { Tx } from '../../db/schema.ts';
import { endNumber } from './numbers.ts';
import {
  addChunks,
  type HeldParts,
  type Resident,
  type ResidentChunkRow,
  removeGone,
} from './residents.ts';

/** A statement reads this many chunks, so that a load does not hold all of them twice. */
const PAGE = 2000;

/** Returns whether the copy has anything of the bodies of chunks. */
export const holdsChunks = ({ dimensions, holdsWords }: HeldParts): boolean =>
  dimensions > 0 || holdsWords;

/** Applies to the resident the chunks that were added and removed since it was last brought up to date. */
export async function catchUp(
  tx: Tx,
  resident: Resident,
  { id, closing }: { readonly id: string; readonly closing: AbortSignal | undefined },
): Promise<void> {
  const gone = tx.selectFrom('gone').where('collection_id', '=', id);
  if (resident.lastGone === undefined) {
    const last = await gone.select((eb) => eb.fn.max('seq').as('seq')).executeTakeFirst();
    resident.lastGone = last?.seq ?? 0;
  } else {
    const since = gone.select(['seq', 'n']).where('seq', '>', resident.lastGone);
    removeGone(resident, await since.orderBy('seq').execute());
  }
  for (let read = PAGE; read === PAGE; ) {
    closing?.throwIfAborted();
    const rows = await newChunks(tx, resident, id);
    addChunks(resident, rows);
    read = rows.length;
  }
}

async function newChunks(
  tx: Tx,
  resident: Resident,
  collectionId: string,
): Promise<ResidentChunkRow[]> {
  const rows = tx
    .selectFrom('chunks as c')
    .select(['c.n', 'c.connection_id', 'c.length'])
    .where('c.collection_id', '=', collectionId)
    .where('c.n', '>', resident.lastNumber)
    .where('c.n', '<', endNumber(resident.index))
    .orderBy('c.n')
    .limit(PAGE);
  const { dimensions, holdsWords } = resident;
  if (!holdsChunks(resident)) return rows.execute();
  return (
    rows
      .innerJoin('chunk_bodies as b', 'b.n', 'c.n')
      // The condition follows from the join, but PostgreSQL's planner does not know it and would begin with the
      // first of all rows.
      .where('b.n', '>', resident.lastNumber)
      .where('b.collection_id', '=', collectionId)
      .$if(dimensions > 0, (query) => query.select(['b.scale', 'b.vector']))
      .$if(holdsWords, (query) => query.select('b.terms'))
      .execute()
  );
}
