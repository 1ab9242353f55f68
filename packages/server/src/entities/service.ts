/** This service returns the entity records that a caller may see. */
import type { Kysely } from 'kysely';
import type { Collections } from '../collections/service.ts';
import type { Ctx } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { reachOf } from '../model/reach.ts';
import { instant } from '../util.ts';
import type { EntityRecord } from './schema.ts';
import * as store from './store.ts';

export type Entities = ReturnType<typeof createEntities>;

export interface EntityQuery extends Page {
  readonly source_connection_id?: string | undefined;
  readonly collection_readable_id?: string | undefined;
}

export function createEntities(deps: {
  readonly db: Kysely<Schema>;
  readonly collections: Pick<Collections, 'resolve'>;
}) {
  const { db, collections } = deps;
  return {
    async list(ctx: Ctx, query: EntityQuery): Promise<Listed<EntityRecord>> {
      const { source_connection_id: connectionId, collection_readable_id: readableId } = query;
      const reach = reachOf(ctx);
      if (connectionId !== undefined)
        if (!(await store.connectionExists(db, reach, connectionId)))
          throw notFound('source connection', connectionId);
      const collection =
        readableId === undefined ? undefined : await collections.resolve(ctx, readableId);
      const { total, rows } = await store.list(db, reach, {
        skip: query.skip,
        limit: query.limit,
        connectionId,
        collectionId: collection?.id,
      });
      return { total, rows: rows.map(toRecord) };
    },

    async get(ctx: Ctx, id: string): Promise<EntityRecord> {
      const row = await store.find(db, reachOf(ctx), id);
      if (!row) throw notFound('entity', id);
      return toRecord(row);
    },
  };
}

const toRecord = ({ definition_id, ...row }: store.EntityRow): EntityRecord => ({
  ...row,
  entity_definition_id: definition_id,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
});
