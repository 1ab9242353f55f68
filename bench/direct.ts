/** Runs the two queries of the SQLite index directly, without the service, in a thread that does nothing else. */
import { connect } from '../packages/server/src/db/connect.ts';
import { createBuiltinEmbedder } from '../packages/server/src/engines/embedder/builtin.ts';
import { createSqliteIndex } from '../packages/server/src/engines/index/sqlite.ts';
import { everything } from '../packages/server/src/model/filter.ts';
import { terms } from '../packages/server/src/model/terms.ts';
import { asking } from '../packages/server/src/test/engines/asking.ts';
import { must } from '../packages/server/src/util.ts';

export type Direct = Awaited<ReturnType<typeof openDirect>>;

/** The service may use the same data directory at the same time, because readers of SQLite do not wait for writers. */
export async function openDirect(path: string, queries: readonly string[]) {
  const db = connect(path, { isSearched: true });
  const embedder = createBuiltinEmbedder();
  const index = createSqliteIndex({ dimensions: embedder.dimensions });
  const collection = await db
    .selectFrom('collections')
    .select('id')
    .where('readable_id', '=', 'bench')
    .executeTakeFirstOrThrow();
  const connections = await db
    .selectFrom('connections')
    .select('id')
    .where('collection_id', '=', collection.id)
    .execute();
  const live = connections.map(({ id }) => id);
  const vectors = await embedder.embed(queries, 'query', new AbortController().signal);
  const asked = new Map(
    queries.map((query, i) => [query, { terms: terms(query), vector: must(vectors[i]) }]),
  );
  const ask = (arm: { vector: Float32Array } | { terms: string[] }) =>
    asking(index, db).candidates(collection.id, {
      arm,
      filter: everything,
      live,
      principals: null,
      depth: 200,
    });

  /** Returns the time of the work in milliseconds. */
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const before = performance.now();
    await work();
    return performance.now() - before;
  };
  const words = (query: string) => ask({ terms: must(asked.get(query)).terms });
  const meaning = (query: string) => ask({ vector: must(asked.get(query)).vector });
  return {
    words: (query: string) => timed(() => words(query)),
    meaning: (query: string) => timed(() => meaning(query)),
    both: (query: string) =>
      timed(async () => {
        await words(query);
        await meaning(query);
      }),
    async close() {
      await db.destroy();
    },
  };
}
