/**
 * Finds the lines of a collection that a regular expression matches, page by page. An expression may take long on each
 * chunk, so grep has a thread of its own, which is neither that of the API nor one of searches
 * (threads/search-threads.ts). Arguments and results are plain data, because they are sent between threads.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { visibleTo } from '../../db/visible.ts';
import { everything } from '../../model/filter.ts';
import { filterMatches } from '../../model/filter-matches.ts';
import type { Asker } from '../../search/access.ts';
import { compileFilter } from '../../search/filter.ts';
import { toMatchable } from '../../search/read.ts';
import type { Vault } from '../../secrets.ts';
import { chunked } from '../../util.ts';
import * as chunkStore from './chunk-store.ts';
import { type ContentsCursor, cursorsOf } from './cursor.ts';
import { toItem } from './item.ts';
import { compile } from './lines.ts';
import { needlesOf } from './needles.ts';
import type { GrepAnswer, GrepBody } from './schema.ts';
import * as store from './store.ts';
import { openContents } from './view.ts';
import { walk, wholeBatch } from './walk.ts';

export interface GrepRequest extends Asker {
  readonly body: GrepBody;
}

export interface GrepDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly vault: Vault;
}

/** Throws a 422 for an invalid expression or cursor, and the reason of the signal when it aborts. */
export type Grep = (request: GrepRequest, signal: AbortSignal) => Promise<GrepAnswer>;

/** The database looks for needles in this many chunks at once, which takes some tenths of a second. */
const STRIDE = 20_000;
const MOST_WITH_NEEDLES = 200;

export function createGrep({ db, kind, vault }: GrepDeps): Grep {
  return async ({ body, ...asker }, signal) => {
    const cursors = cursorsOf(vault, asker.collectionIds);
    const from = cursors.read(body.after, 'body');
    const linesOf = compile(body.pattern, body.ignore_case);
    const needles = needlesOf(body.pattern, body.ignore_case);
    const filter = body.filter ? compileFilter(body.filter) : everything;
    const { entity_type: entityType } = body;
    const view = await openContents(db, asker);
    const connections = view.idsOf({ source: body.source_name });
    const found = new FoundLines();
    // Only rows that a filter has accepted count as searched, so they are all read.
    const { collectionId } = view;
    const isSparse = needles.texts.length > 0 && body.filter === null;
    let seen = 0;
    let searched = 0;
    const next = await walk(
      {
        ...{ connections, from, batch: isSparse ? STRIDE : undefined },
        read: (batch) =>
          view.look(async (tx, canSee) => {
            const own = { ...batch, collectionId };
            const { rows, last } = isSparse
              ? await chunksWithNeedles(tx, own, { kind, entityType, needles })
              : wholeBatch(await chunkStore.chunks(tx, own, entityType), batch);
            return { rows: await withEntities(tx, { collectionId, rows }, canSee), last };
          }),
        visit({ entity, ...chunk }) {
          if (!entity) return false;
          seen++;
          if (!filterMatches(toMatchable({ ...entity, ...chunk }), filter)) return false;
          searched++;
          const { position } = chunk;
          found.add(
            entity,
            linesOf(chunk.text).map((line) => ({ position, line })),
          );
          return found.lines >= body.limit;
        },
      },
      signal,
    );
    const count = (between: PageRange) =>
      countBetween(between, connections, (range) =>
        chunkStore.countChunks(
          db,
          { ...range, collectionId },
          { visible: visibleTo(kind, view.principals, 'entities'), entityType },
        ),
      );
    if (isSparse) seen = searched = await count({ from, next });
    const seenSoFar = (from?.seen ?? 0) + seen;
    return {
      records: found.records(),
      searched,
      looked_at:
        next === null ? 1 : shareOf(seenSoFar, await count({ from: undefined, next: null })),
      next: next && cursors.write({ ...next, seen: seenSoFar }),
    };
  };
}

/** The lines are grouped by their records, in the order in which they are found. */
class FoundLines {
  readonly #records = new Map<string, GrepAnswer['records'][number]>();
  lines = 0;

  add(entity: store.ContentEntityRow, lines: GrepAnswer['records'][number]['lines']): void {
    if (lines.length === 0) return;
    const record = this.#records.get(entity.id) ?? { ...toItem(entity), lines: [] };
    record.lines.push(...lines);
    this.#records.set(entity.id, record);
    this.lines += lines.length;
  }

  records = () => [...this.#records.values()];
}

/** Something is left, so the share is below 1. */
const shareOf = (count: number, total: number): number =>
  Math.min(0.99, Math.floor((100 * count) / Math.max(1, total)) / 100);

interface PageRange {
  readonly from: ContentsCursor | undefined;
  /** It is null when nothing is left. */
  readonly next: ContentsCursor | null;
}

/** Sums up what `count` says of the parts of the page. */
async function countBetween(
  { from, next }: PageRange,
  connections: readonly string[],
  count: (range: Omit<chunkStore.ChunkRange, 'collectionId'>) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const connection of connections) {
    if (from && connection < from.connection) continue;
    if (next && connection > next.connection) continue;
    const after = from?.connection === connection ? from : null;
    const until = next?.connection === connection ? next : null;
    sum += await count({ connection, after, until });
  }
  return sum;
}

/** A needle may be in every chunk, so the batch ends early when many chunks have one. */
async function chunksWithNeedles(
  tx: Tx,
  batch: chunkStore.ChunkBatch,
  asked: Omit<chunkStore.AskedLines, 'limit'>,
) {
  const limit = MOST_WITH_NEEDLES;
  const until = await chunkStore.lastOf(tx, batch, asked.entityType);
  const rows = await chunkStore.chunksWithNeedles(tx, { ...batch, until }, { ...asked, limit });
  return rows.length === limit ? wholeBatch(rows, { limit }) : { rows, last: until };
}

/** A statement reads at most this many entities. */
const ENTITIES = 500;

/** A chunk of an entity that the asker may not see comes without its entity. */
async function withEntities<Row extends { readonly id: string }>(
  tx: Tx,
  { collectionId, rows }: store.OfCollection & { readonly rows: readonly Row[] },
  canSee: (row: store.ContentEntityRow) => boolean,
) {
  const byId = new Map<string, store.ContentEntityRow>();
  for (const some of chunked([...new Set(rows.map(({ id }) => id))], ENTITIES)) {
    const entities = await store.byId(tx, collectionId, some);
    for (const entity of entities.filter(canSee)) byId.set(entity.id, entity);
  }
  return rows.map((row) => ({ ...row, entity: byId.get(row.id) }));
}
