/** Runs real searches, and checks what they must and must not show. */
import { isDeepStrictEqual } from 'node:util';
import { chunkId } from '../../model/chunk.ts';
import { SearchBody } from '../../search/schema.ts';
import { createSearch } from '../../search/service.ts';
import { hold, same } from '../random/violation.ts';
import { searchDeps } from '../search/deps.ts';
import { COMMON } from './company.ts';
import { smallEmbedder } from './embedder.ts';
import { openGated } from './gated.ts';
import type { Ground } from './ground.ts';
import { expectedChunks } from './oracle/content.ts';
import type { Observer } from './oracle/observe.ts';
import type { Oracle } from './oracle/oracle.ts';
import { openRecords } from './records.ts';

const BODIES = (['hybrid', 'neural', 'keyword'] as const).map((retrieval_strategy) =>
  SearchBody.parse({
    query: COMMON,
    retrieval_strategy,
    limit: 1000,
    expand_query: false,
    rerank: false,
    generate_answer: false,
  }),
);

/** Reads of each connection the list of members that the connection names. */
const READ_MEMBERS = `select m.* from group_members m
  join connections c on c.id = m.connection_id and c.members_list = m.list`;

const never = new AbortController().signal;
const READS_ROWS = / from "chunks" /;

export interface Asker {
  readonly collectionId: string;
  readonly principals: readonly string[] | null;
}

export interface Searcher {
  readonly records: ReturnType<typeof openRecords>;
  /** Throws when the index in memory differs from the one in the database. */
  checkMemory(collectionId: string): Promise<void>;
  /**
   * Throws when a search shows too much or too little. `meanwhile` runs in the look of a search, after it has asked
   * the index and before it reads the rows.
   */
  check(asker: Asker, meanwhile: (() => Promise<void>) | undefined): Promise<void>;
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
      for (const body of BODIES) {
        const seenAs = (as: ReadonlySet<string> | null) => visible(oracle, collectionId, as);
        const held = () => principals && withGroups(oracle, observer, principals);
        const asks = held();
        const before = seenAs(asks);
        interlude = meanwhile;
        const request = { organizationId, collection: { id: collectionId }, principals, body };
        const { results } = await search(request, never);
        // `meanwhile` may have happened before or after the moment that the search shows.
        const hasHappened = meanwhile !== undefined && interlude === undefined;
        const moments = hasHappened ? [before, seenAs(held())] : [before];
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

/** Returns name and text of each chunk that this asker may find. */
function visible(
  oracle: Oracle,
  collectionId: string,
  asks: ReadonlySet<string> | null,
): Map<string, string> {
  const found = new Map<string, string>();
  for (const [connectionId, rows] of oracle.rows) {
    const connection = oracle.connection(connectionId)?.row;
    if (connection?.collection_id !== collectionId || connection.deleted_at !== null) continue;
    for (const row of rows.values()) {
      const entity = oracle.contentOf(row)!;
      const viewers = entity.access?.viewers;
      if (asks && viewers && !viewers.some((viewer) => asks.has(viewer))) continue;
      if (!row.is_searchable) continue;
      for (const [i, { text }] of expectedChunks(entity).entries())
        found.set(`${connectionId} ${chunkId(entity.id, i)}`, `${entity.name} ${text}`);
    }
  }
  return found;
}

function withGroups(
  oracle: Oracle,
  observer: Observer,
  principals: readonly string[],
): ReadonlySet<string> {
  const all = observer
    .all<{ connection_id: string; group_name: string; member: string }>(READ_MEMBERS)
    .filter((one) => oracle.connection(one.connection_id)?.row.deleted_at === null);
  const held = new Set(principals);
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    for (const { group_name, member } of all) if (held.has(member)) held.add(group_name);
  }
  return held;
}
