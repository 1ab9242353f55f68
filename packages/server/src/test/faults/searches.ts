/** Real searches, and what they must and must not show. */
import { chunkId } from '../../model/chunk.ts';
import { SearchBody } from '../../search/schema.ts';
import { createSearch } from '../../search/service.ts';
import { COMMON } from './company.ts';
import { smallEmbedder } from './embedder.ts';
import type { Ground } from './ground.ts';
import { expectedChunks } from './oracle/content.ts';
import type { Observer } from './oracle/observe.ts';
import type { Oracle } from './oracle/oracle.ts';
import { hold } from './oracle/violation.ts';

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

const never = new AbortController().signal;

export interface Searcher {
  /** Throws when a search shows too much or too little. */
  check(collectionId: string, principals: readonly string[] | null): Promise<void>;
}

/** It lives through all that happens to the workers, as a process that only searches would. */
export function openSearcher(
  { db, index, organizationId }: Ground,
  oracle: Oracle,
  observer: Observer,
): Searcher {
  const embedder = smallEmbedder(async () => {});
  const { search } = createSearch({ db, index, embedder });

  return {
    async check(collectionId, principals) {
      const expected = visible(oracle, observer, collectionId, principals);
      for (const body of BODIES) {
        const request = { organizationId, collection: { id: collectionId }, principals, body };
        const { results } = await search(request, never);
        const found = new Map(
          results.map((result) => [
            `${result.metadata.source_connection_id} ${result.entity_id}`,
            `${result.metadata.name} ${result.md_content}`,
          ]),
        );
        const where = `${body.retrieval_strategy} as ${principals ?? 'the key'}`;
        for (const [id, text] of expected)
          hold(found.get(id) === text, 'a search shows what is there', () => `${id}, ${where}`);
        for (const id of found.keys())
          hold(expected.has(id), 'a search shows no ghost', () => `${id}, ${where}`);
      }
    },
  };
}

/** Name and text of each chunk that this asker may find. */
function visible(
  oracle: Oracle,
  observer: Observer,
  collectionId: string,
  principals: readonly string[] | null,
): Map<string, string> {
  const asks = principals && withGroups(oracle, observer, principals);
  const found = new Map<string, string>();
  for (const [connectionId, rows] of oracle.rows) {
    const connection = oracle.connection(connectionId)?.row;
    if (connection?.collection_id !== collectionId || connection.deleted_at !== null) continue;
    for (const row of rows.values()) {
      const entity = oracle.contentOf(row)!;
      const viewers = entity.access?.viewers;
      if (asks && viewers && !viewers.some((viewer) => asks.has(viewer))) continue;
      if (!/ vectors /.test(row.recipe)) continue;
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
    .all<{ connection_id: string; group_name: string; member: string }>(
      'select * from group_members',
    )
    .filter((one) => oracle.connection(one.connection_id)?.row.deleted_at === null);
  const held = new Set(principals);
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    for (const { group_name, member } of all) if (held.has(member)) held.add(group_name);
  }
  return held;
}
