/**
 * Asks the same of several collections with a statement for each of them, because the rows of each may be on another
 * server of a cluster (distributed.ts). In a transaction on PostgreSQL, the statements take one round trip together.
 */
import { pipelined, together } from './pipelined.ts';
import type { Db, Tx } from './schema.ts';

type Ask<Row> = (db: Db, collectionId: string) => Promise<readonly Row[]>;

export async function ofEach<Row>(
  db: Db,
  collectionIds: readonly string[],
  ask: Ask<Row>,
): Promise<Row[]> {
  const [only] = collectionIds;
  if (only === undefined) return [];
  if (collectionIds.length === 1) return [...(await ask(db, only))];
  const all = (reader: Db) => together(collectionIds.map((id) => ask(reader, id)));
  const rows = await (db.isTransaction ? pipelined(db as Tx, all) : all(db));
  return rows.flat();
}

/** The number of a chunk alone does not say in which collection it is. */
export interface ChunkOfCollection {
  readonly n: number;
  readonly collection_id: string;
}

/** Asks each collection for its own chunks. */
export function ofChunks<Row>(
  db: Db,
  chunks: readonly ChunkOfCollection[],
  ask: (db: Db, collectionId: string, numbers: readonly number[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const groups = Map.groupBy(chunks, ({ collection_id }) => collection_id);
  return ofEach(db, [...groups.keys()], (reader, id) =>
    ask(
      reader,
      id,
      (groups.get(id) ?? []).map(({ n }) => n),
    ),
  );
}
