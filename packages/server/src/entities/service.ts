/** This service returns the entity records that a caller may see. */
import type { Kysely } from 'kysely';
import type { Collections } from '../collections/service.ts';
import type { Ctx } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { reachOf } from '../model/reach.ts';
import { expandPrincipals } from '../search/access.ts';
import { instant } from '../util.ts';
import type { EntityAccess, EntityRecord } from './schema.ts';
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

    /** Returns who may see the record, and whether the principal may, if one is given. */
    async access(ctx: Ctx, id: string, principal: string | undefined): Promise<EntityAccess> {
      const row = await store.accessOf(db, reachOf(ctx), id);
      if (!row) throw notFound('entity', id);
      const { collection_id, ...access } = row;
      if (principal === undefined) return { ...access, asked: null };
      const held = await expandPrincipals(db, {
        organizationId: ctx.organization.id,
        collectionIds: [collection_id],
        principals: [principal],
      });
      return { ...access, asked: askedAbout(access, principal, new Set(held)) };
    },
  };
}

function askedAbout(
  { viewers, is_public }: Pick<EntityAccess, 'viewers' | 'is_public'>,
  principal: string,
  held: ReadonlySet<string>,
): NonNullable<EntityAccess['asked']> {
  const through = (viewers ?? []).filter((viewer) => viewer !== principal && held.has(viewer));
  const reasonOf = () => {
    if (viewers === null) return 'unrestricted';
    if (is_public) return 'public';
    if (viewers.includes(principal)) return 'named';
    return through.length > 0 ? 'group' : 'none';
  };
  const reason = reasonOf();
  return { principal, may_see: reason !== 'none', reason, through };
}

const toRecord = ({ definition_id, ...row }: store.EntityRow): EntityRecord => ({
  ...row,
  entity_definition_id: definition_id,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
});
