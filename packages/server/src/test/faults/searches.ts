/** Runs real searches, and checks what they must and must not show. */
import { isDeepStrictEqual } from 'node:util';
import { everything } from '../../model/filter.ts';
import { SearchBody } from '../../search/schema.ts';
import { createSearch } from '../../search/service.ts';
import { must } from '../../util.ts';
import { type Asker, allowed, requestOf } from '../random/oracle.ts';
import { hold, same } from '../random/violation.ts';
import type { Connection, Doc, Piece, State } from '../random/world.ts';
import { searchDeps } from '../search/deps.ts';
import { PLAIN } from '../search/plain.ts';
import { COMMON } from './company.ts';
import { smallEmbedder } from './embedder.ts';
import { openGated } from './gated.ts';
import type { Ground } from './ground.ts';
import { expectedChunks } from './oracle/content.ts';
import { membersOf } from './oracle/groups.ts';
import type { Observer } from './oracle/observe.ts';
import type { Oracle } from './oracle/oracle.ts';
import { openRecords } from './records.ts';

const BODIES = (['hybrid', 'neural', 'keyword'] as const).map((retrieval_strategy) =>
  SearchBody.parse({
    ...PLAIN,
    query: COMMON,
    retrieval_strategy,
  }),
);

const never = new AbortController().signal;
const READS_ROWS = / from "chunks" /;

export interface Searcher {
  readonly records: ReturnType<typeof openRecords>;
  /** Throws when the index in memory differs from the one in the database. */
  checkMemory(collectionId: string): Promise<void>;
  /**
   * Throws when a search shows too much or too little. `meanwhile` runs in the look of a search, after it has asked
   * the index and before it reads the rows.
   */
  check(
    asker: Omit<Asker, 'organizationId'>,
    meanwhile: (() => Promise<void>) | undefined,
  ): Promise<void>;
}

/** Opens a searcher, which outlives all processes of workers, as a process that only searches would. */
export function openSearcher(
  { path, searching, index, organizationId }: Ground,
  oracle: Oracle,
  observer: Observer,
): Searcher {
  const embedder = smallEmbedder(async () => {});
  let interlude: (() => Promise<void>) | undefined;
  const { db } = openGated(path, searching, {
    async before(statement) {
      if (!READS_ROWS.test(statement)) return;
      const happen = interlude;
      interlude = undefined;
      await happen?.();
    },
    committed() {},
  });
  const { search } = createSearch(searchDeps({ db, index, embedder }));

  return {
    records: openRecords(db, oracle),

    async checkMemory(collectionId) {
      const { findings } = await index.doctor.examineMemory(db, collectionId, null);
      same(findings.length, 0, 'what is held in memory is what is stored', collectionId);
    },

    async check({ collectionId, principals }, meanwhile) {
      const asker = { organizationId, collectionId, principals };
      for (const body of BODIES) {
        const seen = () => textsOf(allowed(stateOf(oracle, observer), asker, everything));
        const before = seen();
        interlude = meanwhile;
        const { results } = await search(requestOf(asker, body), never);
        // `meanwhile` may have happened before or after the moment that the search shows.
        const hasHappened = meanwhile !== undefined && interlude === undefined;
        const moments = hasHappened ? [before, seen()] : [before];
        const found = new Map(
          results.map((result) => [
            `${result.metadata.source_connection_id} ${result.entity_id}`,
            `${result.metadata.name} ${result.md_content}`,
          ]),
        );
        const where = `${body.retrieval_strategy} as ${principals ?? 'the key'}`;
        hold(
          moments.some((moment) => isDeepStrictEqual(moment, found)),
          'a search shows what is there at one moment',
          () =>
            `${where}: ${[...found.keys()]} instead of ${moments.map((one) => [...one.keys()]).join(' or ')}`,
        );
      }
    },
  };
}

/** Returns what a search can find at this moment. */
function stateOf(oracle: Oracle, observer: Observer): State {
  const members = membersOf(observer);
  return new Map(
    observer.connections().map((row): [string, Connection] => [
      row.id,
      {
        id: row.id,
        syncId: row.sync_id,
        jobId: null,
        organizationId: row.organization_id,
        collectionId: row.collection_id,
        shortName: row.short_name,
        isLive: false,
        isDeleted: row.deleted_at !== null,
        docs: docsOf(oracle, row.id),
        members: members.get(row.id) ?? [],
      },
    ]),
  );
}

function docsOf(oracle: Oracle, connectionId: string): Map<string, Doc> {
  const rows = [...(oracle.rows.get(connectionId)?.values() ?? [])];
  return new Map(
    rows
      .filter((row) => row.is_searchable)
      .map((row) => {
        const entity = must(oracle.contentOf(row));
        return [entity.id, { ...entity, texts: expectedChunks(entity).map(({ text }) => text) }];
      }),
  );
}

const textsOf = (pieces: readonly Piece[]) =>
  new Map(
    pieces.map(({ connection, id, doc, text }) => [
      `${connection.id} ${id}`,
      `${doc.name} ${text}`,
    ]),
  );
