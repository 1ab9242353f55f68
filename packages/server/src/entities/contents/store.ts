/** These queries read the entities of connections that are not deleted, in the order of cursors. */
import type { RawBuilder } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { chunked } from '../../util.ts';
import type { WalkBatch } from './walk.ts';

const ENTITY = [
  'entities.id',
  'entities.connection_id',
  'entities.entity_id',
  'entities.entity_type',
  'entities.name',
  'entities.url',
  'entities.breadcrumbs',
  'entities.source_created_at',
  'entities.source_updated_at',
  'entities.viewers',
  'entities.is_public',
  'entities.metadata',
  'entities.sync_id',
  'entities.sync_job_id',
  'connections.short_name',
  'connections.name as connection_name',
  'connections.true_as_of',
  'entities.created_at',
  'entities.modified_at',
] as const;

export interface OfCollection {
  readonly collectionId: string;
}

/**
 * The connection is joined because a deleted connection may still have entities, which a job removes in the background.
 */
const ofLiveConnections = (db: Db, collectionId: string) =>
  db
    .selectFrom('entities')
    .innerJoin('connections', 'connections.id', 'entities.connection_id')
    .where('entities.collection_id', '=', collectionId)
    .where('connections.deleted_at', 'is', null)
    .where('entities.is_hidden', '=', false)
    .select(ENTITY);

export async function entities(
  db: Db,
  { collectionId, connection, after, limit }: WalkBatch & OfCollection,
  entityType: string | undefined,
) {
  let query = ofLiveConnections(db, collectionId)
    .where('entities.connection_id', '=', connection)
    .where('entities.is_listed', '=', true);
  if (after) query = query.where('entities.entity_id', '>', after.entity);
  if (entityType !== undefined) query = query.where('entities.entity_type', '=', entityType);
  return query.orderBy('entities.entity_id').limit(limit).execute();
}
export type ContentEntityRow = Awaited<ReturnType<typeof entities>>[number];

/** Returns the entities that have these row ids. */
export const byId = (db: Db, collectionId: string, ids: readonly string[]) =>
  ofLiveConnections(db, collectionId).where('entities.id', 'in', ids).execute();

export const entitiesNamed = (
  db: Db,
  { collectionId, live }: OfCollection & { readonly live: readonly string[] },
  entityIds: readonly string[],
) =>
  ofLiveConnections(db, collectionId)
    .where('entities.connection_id', 'in', live)
    .where('entities.entity_id', 'in', entityIds)
    .orderBy('entities.connection_id')
    .execute();

/** Returns some chunks of the entity with this row id, and the number of all its chunks. */
export async function chunksOf(
  db: Db,
  { collectionId, entity }: OfCollection & { readonly entity: string },
  { from, limit }: { readonly from: number; readonly limit: number },
) {
  const ofEntity = db
    .selectFrom('chunks')
    .where('chunks.collection_id', '=', collectionId)
    .where('chunks.entity', '=', entity);
  const { total } = await ofEntity
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const chunks = await ofEntity
    .innerJoin('chunk_bodies', 'chunk_bodies.n', 'chunks.n')
    .where('chunk_bodies.collection_id', '=', collectionId)
    .where('chunks.position', '>=', from)
    .select([
      'chunks.position',
      'chunks.heading',
      'chunks.page',
      'chunks.place',
      'chunks.line',
      'chunk_bodies.text',
    ])
    .orderBy('chunks.position')
    .limit(limit)
    .execute();
  return { total: Number(total), chunks };
}

export async function typeCounts(db: Db, connections: readonly string[]) {
  if (connections.length === 0) return [];
  const rows = await db
    .selectFrom('entity_counts')
    .where('connection_id', 'in', connections)
    .where('count', '>', 0)
    .select((eb) => ['entity_type', eb.fn.sum<number>('count').as('count')])
    .groupBy('entity_type')
    .orderBy('entity_type')
    .execute();
  return rows.map(({ entity_type, count }) => ({ entity_type, count: Number(count) }));
}

/** Returns the connections with the number of their shown entities, ordered by name. */
export async function connectionCounts(db: Db, connections: readonly string[]) {
  if (connections.length === 0) return [];
  const rows = await db
    .selectFrom('connections as c')
    .innerJoin('entity_counts as k', 'k.connection_id', 'c.id')
    .where('c.id', 'in', connections)
    .where('k.count', '>', 0)
    .select((eb) => ['c.id', 'c.name', 'c.short_name', eb.fn.sum<number>('k.count').as('count')])
    .groupBy(['c.id', 'c.name', 'c.short_name'])
    .orderBy('c.name')
    .orderBy('c.id')
    .execute();
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }));
}

/**
 * Returns the fields of shown entities, at most `limit` of them in the order of their names. With `onlyOpen`, they are
 * fields of entities that everyone may see.
 */
export async function fields(
  db: Db,
  connections: readonly string[],
  { onlyOpen, limit }: { readonly onlyOpen: boolean; readonly limit: number },
): Promise<string[]> {
  if (connections.length === 0) return [];
  const rows = await db
    .selectFrom('entity_fields')
    .innerJoin('connections', 'connections.id', 'entity_fields.connection_id')
    .where('connections.deleted_at', 'is', null)
    .where('connection_id', 'in', connections)
    .where(onlyOpen ? 'open' : 'count', '>', 0)
    .select('field')
    .distinct()
    .orderBy('field')
    .limit(limit)
    .execute();
  return rows.map(({ field }) => field);
}

/**
 * Returns the connections in which only restricted entities have some field. For the other connections, the fields of
 * `fields` are complete.
 */
export async function withRestrictedFields(
  db: Db,
  connections: readonly string[],
): Promise<string[]> {
  if (connections.length === 0) return [];
  const rows = await db
    .selectFrom('entity_fields')
    .where('connection_id', 'in', connections)
    .where('open', '=', 0)
    .where('count', '>', 0)
    .select('connection_id')
    .distinct()
    .execute();
  return rows.map(({ connection_id }) => connection_id);
}

/** SQLite accepts at most 500 selects in one `union all` (https://sqlite.org/limits.html). */
const PARTS = 100;

/**
 * Returns the latest restricted entities of each connection that the principals may see, at most `each` per connection.
 */
export async function restricted(
  db: Db,
  {
    collectionId,
    connections,
  }: OfCollection & {
    readonly connections: readonly string[];
  },
  { visible, each }: { readonly visible: RawBuilder<boolean>; readonly each: number },
) {
  const latestOf = (connection: string) =>
    db
      .selectFrom(
        ofLiveConnections(db, collectionId)
          .where('entities.connection_id', '=', connection)
          .where('entities.viewers', 'is not', null)
          .where('entities.is_public', '=', false)
          .where(visible)
          .orderBy('entities.id', 'desc')
          .limit(each)
          .as('some'),
      )
      .select(['some.viewers', 'some.is_public', 'some.metadata']);
  const found: Pick<ContentEntityRow, 'viewers' | 'is_public' | 'metadata'>[] = [];
  for (const some of chunked(connections, PARTS)) {
    const [first, ...rest] = some.map(latestOf);
    if (first) found.push(...(await rest.reduce((all, one) => all.unionAll(one), first).execute()));
  }
  return found;
}
