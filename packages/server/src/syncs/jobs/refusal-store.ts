/** These queries keep the records whose files could not be read, and find them again (pipeline/refusals.ts). */
import { type Selectable, sql } from 'kysely';
import type { Db, Schema, Tx } from '../../db/schema.ts';
import { chunked } from '../../util.ts';

type RefusedRecord = Selectable<Schema['refused_records']>;

/** A refused file is read again after this time, because a busy machine may have been the reason. */
export const REFUSAL_KEPT_MS = 86_400_000;
const ROWS = 100;
const IDS = 500;

export async function findRefusals(
  db: Db,
  connectionId: string,
  { ids, readBy }: { readonly ids: readonly string[]; readonly readBy: string },
): Promise<RefusedRecord[]> {
  const now = Date.now();
  const found: RefusedRecord[] = [];
  for (const some of chunked(ids, IDS))
    found.push(
      ...(await db
        .selectFrom('refused_records')
        .selectAll()
        .where('connection_id', '=', connectionId)
        .where('entity_id', 'in', some)
        .where('read_by', '=', readBy)
        // The clock may have been set back since.
        .where((eb) => eb.between('created_at', now - REFUSAL_KEPT_MS, now))
        .execute()),
    );
  return found;
}

export async function keepRefusals(tx: Tx, rows: readonly RefusedRecord[]): Promise<void> {
  for (const some of chunked(rows, ROWS))
    await tx
      .insertInto('refused_records')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['connection_id', 'entity_id']).doUpdateSet((row) => ({
          entity_type: row.ref('excluded.entity_type'),
          version: row.ref('excluded.version'),
          read_by: row.ref('excluded.read_by'),
          kind: row.ref('excluded.kind'),
          message: row.ref('excluded.message'),
          detail: row.ref('excluded.detail'),
          hint: row.ref('excluded.hint'),
          created_at: row.ref('excluded.created_at'),
        })),
      )
      .execute();
}

/** Lets the next sync of the connection read all files again. */
export async function forgetRefusals(tx: Tx, connectionId: string): Promise<void> {
  await tx.deleteFrom('refused_records').where('connection_id', '=', connectionId).execute();
}

/** Removes refusals from before this time. Resolves true when it found some. */
export async function forgetOldRefusals(db: Db, before: number): Promise<boolean> {
  const old = await db
    .selectFrom('refused_records')
    .select(['connection_id', 'entity_id'])
    .where('created_at', '<', before)
    .limit(IDS)
    .execute();
  if (old.length === 0) return false;
  const keys = old.map(({ connection_id, entity_id }) => sql`(${connection_id}, ${entity_id})`);
  await db
    .deleteFrom('refused_records')
    .where(sql<boolean>`(connection_id, entity_id) in (values ${sql.join(keys)})`)
    .where('created_at', '<', before)
    .execute();
  return true;
}
