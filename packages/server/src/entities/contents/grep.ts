/**
 * Finds the lines of a collection that a regular expression matches, page by page. An expression may take long on each
 * chunk, so grep has a thread of its own, which is neither that of the API nor one of searches
 * (threads/search-threads.ts). Arguments and results are plain data, because they are sent between threads.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { everything } from '../../model/filter.ts';
import { filterMatches } from '../../model/filter-matches.ts';
import type { Asker } from '../../search/access.ts';
import { compileFilter } from '../../search/filter.ts';
import { toMatchable } from '../../search/read.ts';
import type { Vault } from '../../secrets.ts';
import { cursorsOf } from './cursor.ts';
import { toItem } from './item.ts';
import { compile } from './lines.ts';
import type { GrepAnswer, GrepBody } from './schema.ts';
import * as store from './store.ts';
import { type ContentsView, openContents } from './view.ts';
import { type WalkBatch, walk } from './walk.ts';

export interface GrepRequest extends Asker {
  readonly body: GrepBody;
}

/** Throws a 422 for an invalid expression or cursor, and the reason of the signal when it aborts. */
export type Grep = (request: GrepRequest, signal: AbortSignal) => Promise<GrepAnswer>;

export function createGrep({
  db,
  vault,
}: {
  readonly db: Kysely<Schema>;
  readonly vault: Vault;
}): Grep {
  return async ({ body, ...asker }, signal) => {
    const cursors = cursorsOf(vault, asker.collectionIds);
    const from = cursors.read(body.after, 'body');
    const linesOf = compile(body.pattern, body.ignore_case);
    const filter = body.filter ? compileFilter(body.filter) : everything;
    const view = await openContents(db, asker);
    const records = new Map<string, GrepAnswer['records'][number]>();
    let searched = 0;
    let lines = 0;
    const next = await walk(
      {
        connections: view.idsOf({ source: body.source_name }),
        from,
        read: (batch) => readChunks(view, { ...batch, entityType: body.entity_type }),
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
      signal,
    );
    return { records: [...records.values()], searched, next: next && cursors.write(next) };
  };
}

/** Returns chunks with their entities. A chunk of an entity that the asker may not see comes without its entity. */
const readChunks = (
  view: ContentsView,
  { entityType, ...batch }: WalkBatch & { readonly entityType: string | undefined },
) =>
  view.look(async (tx, canSee) => {
    const chunks = await store.chunks(tx, batch, entityType);
    const ids = new Set(chunks.map(({ id }) => id));
    const entities = ids.size === 0 ? [] : await store.byId(tx, [...ids]);
    const byId = new Map(entities.filter(canSee).map((entity) => [entity.id, entity]));
    return chunks.map((chunk) => ({ ...chunk, entity: byId.get(chunk.id) }));
  });
