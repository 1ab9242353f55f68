/**
 * This file has the queries on entity records. A record is shown if it is listed and its connection is not deleted.
 * Commits keep the number of records up to date, so the queries here do not count rows.
 */
import { within } from '../db/reach.ts';
import type { Db } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { Reach } from '../model/reach.ts';

export interface EntityScope {
  readonly connectionId: string | undefined;
  readonly collectionId: string | undefined;
}

const COLUMNS = [
  'entities.id',
  'entities.entity_id',
  'entities.sync_job_id',
  'entities.sync_id',
  'entities.definition_id',
  'entities.hash',
  'entities.organization_id',
  'entities.created_at',
  'entities.modified_at',
] as const;

export const find = (db: Db, reach: Reach, id: string) =>
  db
    .selectFrom('entities')
    .innerJoin('connections', 'connections.id', 'entities.connection_id')
    .select(COLUMNS)
    .where('entities.id', '=', id)
    .where(within(reach, 'entities'))
    .where('entities.is_listed', '=', true)
    .where('connections.deleted_at', 'is', null)
    .executeTakeFirst();
export const accessOf = (db: Db, reach: Reach, id: string) =>
  db
    .selectFrom('entities')
    .innerJoin('connections', 'connections.id', 'entities.connection_id')
    .select(['entities.collection_id', 'entities.viewers', 'entities.is_public'])
    .where('entities.id', '=', id)
    .where(within(reach, 'entities'))
    .where('entities.is_listed', '=', true)
    .where('connections.deleted_at', 'is', null)
    .executeTakeFirst();

export type EntityRow = NonNullable<Awaited<ReturnType<typeof find>>>;

/**
 * Returns the records in the order of connection and id, because an index has this order. The stored counts show which
 * connections the page covers. So the query does not read rows of deleted connections, which may still exist.
 */
export async function list(
  db: Db,
  reach: Reach,
  { skip, limit, ...narrowed }: Page & EntityScope,
): Promise<Listed<EntityRow>> {
  const counts = await countListed(db, reach, narrowed);
  const total = counts.reduce((sum, { listed }) => sum + listed, 0);
  const onPage: string[] = [];
  let before = 0;
  let offset = 0;
  for (const { id, listed } of counts) {
    if (before + listed <= skip) offset += listed;
    else if (before < skip + limit) onPage.push(id);
    before += listed;
  }
  if (onPage.length === 0) return { total, rows: [] };
  const rows = await db
    .selectFrom('entities')
    .select(COLUMNS)
    .where('entities.connection_id', 'in', onPage)
    .where('entities.is_listed', '=', true)
    .orderBy('entities.connection_id')
    .orderBy('entities.id')
    .offset(skip - offset)
    .limit(limit)
    .execute();
  return { total, rows };
}

/** Returns the number of listed entities for each connection that is not deleted, in order. */
async function countListed(
  db: Db,
  reach: Reach,
  { connectionId, collectionId }: EntityScope,
): Promise<{ id: string; listed: number }[]> {
  let counts = db
    .selectFrom('connections')
    .innerJoin('entity_counts', 'entity_counts.connection_id', 'connections.id')
    .where(within(reach, 'connections'))
    .where('connections.deleted_at', 'is', null)
    .where('entity_counts.listed', '>', 0);
  if (connectionId !== undefined) counts = counts.where('connections.id', '=', connectionId);
  if (collectionId !== undefined)
    counts = counts.where('connections.collection_id', '=', collectionId);
  const rows = await counts
    .select((eb) => ['connections.id', eb.fn.sum<number>('entity_counts.listed').as('listed')])
    .groupBy('connections.id')
    .orderBy('connections.id')
    .execute();
  return rows.map(({ id, listed }) => ({ id, listed: Number(listed) }));
}

export async function connectionExists(db: Db, reach: Reach, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('connections')
    .select('id')
    .where('id', '=', id)
    .where(within(reach, 'connections'))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
