/**
 * Queries on entity records. A record is shown while its connection lives and if it is listed at all;
 * how many there are is kept in the commits and never counted here.
 */
import type { Db } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';

export interface Within {
  readonly connectionId: string | undefined;
  readonly collectionId: string | undefined;
}

const listed = (db: Db, organizationId: string) =>
  db
    .selectFrom('entities')
    .where('entities.organization_id', '=', organizationId)
    .where('entities.is_listed', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('connections')
          .select('connections.id')
          .whereRef('connections.id', '=', 'entities.connection_id')
          .where('connections.deleted_at', 'is', null),
      ),
    )
    .select([
      'entities.id',
      'entities.entity_id',
      'entities.sync_job_id',
      'entities.sync_id',
      'entities.definition_id',
      'entities.hash',
      'entities.organization_id',
      'entities.created_at',
      'entities.modified_at',
    ]);

export const find = (db: Db, organizationId: string, id: string) =>
  listed(db, organizationId).where('entities.id', '=', id).executeTakeFirst();
export type EntityRow = NonNullable<Awaited<ReturnType<typeof find>>>;

/** In the order of their ids. */
export async function list(
  db: Db,
  organizationId: string,
  { connectionId, collectionId, skip, limit }: Page & Within,
): Promise<Listed<EntityRow>> {
  let entities = listed(db, organizationId);
  if (connectionId !== undefined)
    entities = entities.where('entities.connection_id', '=', connectionId);
  if (collectionId !== undefined)
    entities = entities.where('entities.collection_id', '=', collectionId);
  const rows = await entities.orderBy('entities.id').offset(skip).limit(limit).execute();
  const total = await countListed(db, organizationId, { connectionId, collectionId });
  return { total, rows };
}

async function countListed(
  db: Db,
  organizationId: string,
  { connectionId, collectionId }: Within,
): Promise<number> {
  let counts = db
    .selectFrom('entity_counts')
    .innerJoin('connections', 'connections.id', 'entity_counts.connection_id')
    .where('connections.organization_id', '=', organizationId)
    .where('connections.deleted_at', 'is', null);
  if (connectionId !== undefined) counts = counts.where('connections.id', '=', connectionId);
  if (collectionId !== undefined)
    counts = counts.where('connections.collection_id', '=', collectionId);
  const { total } = await counts
    .select((eb) => eb.fn.sum<number | string | null>('entity_counts.listed').as('total'))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

export async function connectionExists(
  db: Db,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('connections')
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
