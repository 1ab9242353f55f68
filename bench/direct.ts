/** The two queries of the SQLite index without the service around them. */
import { connect } from '../packages/server/src/db/connect.ts';
import { createBuiltinEmbedder } from '../packages/server/src/engines/embedder/builtin.ts';
import { createSqliteIndex } from '../packages/server/src/engines/index/sqlite.ts';
import { everything } from '../packages/server/src/model/filter.ts';
import { terms } from '../packages/server/src/model/terms.ts';
import { percentile } from './service.ts';

export async function benchDirect(
  path: string,
  queries: readonly string[],
  row: (name: string, value: string) => void,
): Promise<void> {
  const db = connect(path);
  const embedder = createBuiltinEmbedder();
  const index = createSqliteIndex({ path, dimensions: embedder.dimensions });
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
  const measure = async (arm: (i: number) => { vector: Float32Array } | { terms: string[] }) => {
    const took: number[] = [];
    for (let i = 0; i < queries.length; i++) {
      const query = { arm: arm(i), filter: everything, live, principals: null, depth: 200 };
      const before = performance.now();
      await index.candidates(collection.id, query);
      took.push(performance.now() - before);
    }
    const warm = took.slice(20);
    return `${percentile(warm, 0.5).toFixed(1)} / ${percentile(warm, 0.95).toFixed(1)}`;
  };
  row('FTS5 query alone, p50 / p95', await measure((i) => ({ terms: terms(queries[i] ?? '') })));
  row(
    'vector scan alone, p50 / p95',
    await measure((i) => ({ vector: vectors[i] ?? new Float32Array(embedder.dimensions) })),
  );
  await index.close();
  await db.destroy();
}
