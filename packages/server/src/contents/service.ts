/**
 * What was synced into a collection, read without a search: what there is, a list, one record, the lines that
 * an expression matches. All of it under the filter and access rules of a search (search/scope.ts), asked of
 * each row as it is read.
 */
import type { Kysely } from 'kysely';
import type { Collections } from '../collections/service.ts';
import type { Ctx } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import { everything } from '../model/filter.ts';
import { filterMatches } from '../model/filter-matches.ts';
import { compileFilter } from '../search/filter.ts';
import { maySee, toMatchable } from '../search/read.ts';
import { openView } from '../search/scope.ts';
import { stillHeld } from '../search/visible.ts';
import { instantOrNull } from '../util.ts';
import { LAST_POSITION, readCursor } from './cursor.ts';
import { compile } from './grep.ts';
import { readRecordId, recordId } from './record-id.ts';
import type {
  About,
  Document,
  GrepAnswer,
  GrepBody,
  Item,
  ListAnswer,
  ListQuery,
  ReadQuery,
} from './schema.ts';
import * as store from './store.ts';
import { type Batch, walk } from './walk.ts';

/** Entities of a connection that are looked at for the fields that they have. */
const SAMPLED = 50;
const MOST_FIELDS = 40;
/** At passages whose records change meanwhile. */
const LOOKS = 3;

export interface Asked {
  /** readable_id. */
  readonly collection: string;
  /** On whose behalf; null: the key sees everything of its organization. */
  readonly principals: readonly string[] | null;
}

export type Contents = ReturnType<typeof createContents>;

export function createContents(deps: {
  readonly db: Kysely<Schema>;
  readonly collections: Pick<Collections, 'get' | 'resolve'>;
}) {
  const { db, collections } = deps;

  async function open(ctx: Ctx, { collection, principals }: Asked) {
    const { id } = await collections.resolve(ctx, collection);
    const organizationId = ctx.organization.id;
    const view = await openView(db, { organizationId, collection: { id }, principals });
    const scope = view.scope(everything);
    return {
      connections: view.connections,
      live: scope.live,
      /** Those of this source. */
      of: (source: string | undefined) =>
        view.connections
          .filter(({ short_name }) => source === undefined || short_name === source)
          .map((connection) => connection.id),
      /** Of rows that have been read, those that may be seen: by what is held since before, and still. */
      async seen<Row extends Parameters<typeof maySee>[1]>(rows: readonly Row[]): Promise<Row[]> {
        if (rows.length === 0) return [];
        const held = await stillHeld(db, scope);
        return rows.filter((row) => maySee(held, row));
      },
    };
  }

  type View = Awaited<ReturnType<typeof open>>;

  /** Chunks with their entities as they were when they had them, where they may be seen. */
  async function passages(view: View, batch: Batch, entityType: string | undefined) {
    for (let looks = 1; ; looks++) {
      const chunks = await store.chunks(db, batch, entityType);
      const ids = new Set(chunks.map(({ id }) => id));
      const entities = ids.size === 0 ? [] : await view.seen(await store.byId(db, [...ids]));
      const byId = new Map(entities.map((entity) => [entity.id, entity]));
      const all = chunks.map((chunk) => ({ ...chunk, entity: byId.get(chunk.id) }));
      const isSame = ({ entity, hash }: (typeof all)[number]) => !entity || entity.hash === hash;
      if (all.every(isSame)) return all;
      // Whatever changes that fast is left out.
      if (looks === LOOKS)
        return all.map((one) => (isSame(one) ? one : { ...one, entity: undefined }));
    }
  }

  return {
    async about(ctx: Ctx, asked: Asked): Promise<About> {
      const { readable_id, name, status } = await collections.get(ctx, asked.collection);
      const view = await open(ctx, asked);
      const seen = await view.seen(await store.sample(db, view.live, SAMPLED));
      // How many there are would tell a person of those that he may not see.
      const counts = asked.principals === null ? await store.typeCounts(db, view.live) : undefined;
      const fields = seen.flatMap(({ metadata }) => Object.keys(metadata));
      return {
        readable_id,
        name,
        status,
        source_names: sorted(view.connections.map(({ short_name }) => short_name)),
        entity_types:
          counts ??
          sorted(seen.map((row) => row.entity_type)).map((entity_type) => ({
            entity_type,
            count: null,
          })),
        metadata_fields: sorted(fields)
          .slice(0, MOST_FIELDS)
          .map((field) => `metadata.${field}`),
      };
    },

    async list(ctx: Ctx, asked: Asked, query: ListQuery): Promise<ListAnswer> {
      const from = readCursor(query.after, 'query');
      const view = await open(ctx, asked);
      const wanted = query.name?.toLowerCase() ?? '';
      const items: Item[] = [];
      const next = await walk(
        {
          connections: view.of(query.source_name),
          from,
          async read(batch) {
            const rows = await store.entities(db, batch, query.entity_type);
            const seen = new Set(await view.seen(rows));
            return rows.map((row) => ({ ...row, isSeen: seen.has(row) }));
          },
          visit(row) {
            if (row.isSeen && row.name.toLowerCase().includes(wanted)) items.push(toItem(row));
            return items.length === query.limit;
          },
        },
        ctx.signal,
      );
      return { items, next };
    },

    async read(ctx: Ctx, asked: Asked, { id, from, limit }: ReadQuery): Promise<Document> {
      const view = await open(ctx, asked);
      const { connection, entityIds } = readRecordId(id);
      const live = view.live.filter((one) => connection === null || one === connection);
      const rows = live.length === 0 ? [] : await store.named(db, live, entityIds);
      const seen = await view.seen(rows);
      const meant = entityIds.map((entityId) => seen.filter((row) => row.entity_id === entityId));
      const [row, another] = meant.find((found) => found.length > 0) ?? [];
      if (!row) throw notFound('record', id);
      if (another)
        throw conflict(
          `several records have the entity_id '${row.entity_id}': ask for ${recordId(row.connection_id, row.entity_id)} or ${recordId(another.connection_id, another.entity_id)}`,
        );
      const first = Math.min(from, LAST_POSITION);
      const found = await store.document(db, row.id, { from: first, limit });
      const [entity] = await view.seen(found ? [found.entity] : []);
      if (!found || !entity) throw notFound('record', id);
      const { total, chunks } = found;
      return {
        ...toItem(entity),
        metadata: entity.metadata,
        total_chunks: total,
        chunks: [...chunks],
      };
    },

    async grep(ctx: Ctx, asked: Asked, body: GrepBody): Promise<GrepAnswer> {
      const from = readCursor(body.after, 'body');
      const linesOf = compile(body.pattern, body.ignore_case);
      const filter = body.filter ? compileFilter(body.filter) : everything;
      const view = await open(ctx, asked);
      const records = new Map<string, GrepAnswer['records'][number]>();
      let searched = 0;
      let lines = 0;
      const next = await walk(
        {
          connections: view.of(body.source_name),
          from,
          read: (batch) => passages(view, batch, body.entity_type),
          visit({ entity, ...chunk }) {
            if (!entity) return false;
            if (!filterMatches(toMatchable({ ...entity, ...chunk }), filter)) return false;
            searched++;
            const found = linesOf(chunk.text).map((line) => ({ position: chunk.position, line }));
            if (found.length === 0) return false;
            const record = records.get(entity.id) ?? { ...toItem(entity), lines: [] };
            record.lines.push(...found);
            records.set(entity.id, record);
            lines += found.length;
            return lines >= body.limit;
          },
        },
        ctx.signal,
      );
      return { records: [...records.values()], searched, next };
    },
  };
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted();

const toItem = (row: store.EntityRow): Item => ({
  id: recordId(row.connection_id, row.entity_id),
  entity_id: row.entity_id,
  name: row.name,
  entity_type: row.entity_type,
  source_name: row.short_name,
  breadcrumbs: row.breadcrumbs.map((breadcrumb) => breadcrumb.name),
  url: row.url ?? '',
  updated_at: instantOrNull(row.source_updated_at),
});
