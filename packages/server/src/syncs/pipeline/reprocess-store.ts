/** These are the queries that transform stored records again. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import { chunked } from '../../util.ts';
import { STORED } from './store.ts';

const ENTITIES = 100;
const IDS = 500;

/** Reads records of the source, in the order of their ids. */
export function page(db: Db, connectionId: string, after: string | null) {
  const rows = db
    .selectFrom('entities')
    .select(STORED)
    .select(sql<number>`octet_length(raw)`.as('size'))
    .where('connection_id', '=', connectionId)
    .where('origin', 'is', null)
    .orderBy('entity_id')
    .limit(ENTITIES);
  return (after === null ? rows : rows.where('entity_id', '>', after)).execute();
}
export type RecordRow = Awaited<ReturnType<typeof page>>[number];

/** Reads the records as the source gave them, by row id. */
export async function raws(db: Db, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
  const rows = await db
    .selectFrom('entities')
    .select(['id', 'raw'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, raw }) => [id, raw]));
}

/** Writes each recipe to the rows under it. */
export async function writeRecipes(
  tx: Tx,
  recipes: ReadonlyMap<string, readonly { readonly id: string }[]>,
): Promise<void> {
  for (const [recipe, rows] of recipes)
    for (const some of chunked(rows, IDS))
      await tx
        .updateTable('entities')
        .set({ recipe })
        .where(
          'id',
          'in',
          some.map(({ id }) => id),
        )
        .execute();
}

/** This value stands for stored records of which some may not have passed the transformers of their connection. */
export const INCOMPLETE = 'incomplete';

/** Writes the signature of the transformers that all stored records have passed, or INCOMPLETE. */
export async function writeTransformed(
  tx: Tx,
  connectionId: string,
  signature: string,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ transformed: signature })
    .where('id', '=', connectionId)
    .execute();
}
