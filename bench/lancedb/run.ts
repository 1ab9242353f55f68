/**
 * Measures the same chunks and vectors in LanceDB: one table, a full-text index, and vector search that compares every vector, as Quarry does.
 */
import { DatabaseSync } from 'node:sqlite';
import { createBuiltinEmbedder } from '../../packages/server/src/engines/embedder/builtin.ts';
import { percentile } from '../service.ts';

const BATCH = 2000;

export async function benchLancedb(
  { database, folder }: { readonly database: string; readonly folder: string },
  queries: readonly string[],
  row: (name: string, value: string) => void,
): Promise<void> {
  // On two processors, LanceDB never ends indexing 100,000 texts with the number of threads that it chooses itself.
  process.env.LANCE_CPU_THREADS ??= '4';
  // The bench installs the package, not the workspace, so the type checker does not know it.
  const name = '@lancedb/lancedb';
  const lancedb = await import(name);
  const sqlite = new DatabaseSync(database, { readOnly: true });
  const rows = sqlite
    .prepare(
      `select b.n, b.text, b.scale, b.vector from chunk_bodies b join chunks c on c.n = b.n
       join connections s on s.id = c.connection_id join collections k on k.id = s.collection_id
       where k.readable_id = 'bench'`,
    )
    .all()
    .map(({ n, text, scale, vector }) => ({
      n: Number(n),
      text: String(text),
      vector: Float32Array.from(
        new Int8Array((vector as Uint8Array).slice().buffer),
        (x) => x * Number(scale),
      ),
    }));
  sqlite.close();

  const startedAt = performance.now();
  const connection = await lancedb.connect(folder);
  const table = await connection.createTable('chunks', rows.slice(0, BATCH));
  for (let at = BATCH; at < rows.length; at += BATCH) await table.add(rows.slice(at, at + BATCH));
  await table.createIndex('text', { config: lancedb.Index.fts() });
  await table.optimize();
  const seconds = (performance.now() - startedAt) / 1000;
  row('LanceDB: chunks/s into table and indexes', (rows.length / seconds).toFixed(0));

  const vectors = await createBuiltinEmbedder().embed(
    queries,
    'query',
    new AbortController().signal,
  );
  const measure = async (search: (i: number) => Promise<unknown>) => {
    const took: number[] = [];
    for (let i = 0; i < queries.length; i++) {
      const before = performance.now();
      await search(i);
      took.push(performance.now() - before);
    }
    const warm = took.slice(20);
    return `${percentile(warm, 0.5).toFixed(1)} / ${percentile(warm, 0.95).toFixed(1)}`;
  };
  const words = (i: number) =>
    table
      .query()
      .fullTextSearch(queries[i], { columns: ['text'] })
      .select(['n', '_score'])
      .limit(200)
      .toArray();
  const meaning = (i: number) =>
    table
      .query()
      .nearestTo(vectors[i])
      .distanceType('cosine')
      .select(['n', '_distance'])
      .limit(200)
      .toArray();
  row('LanceDB: words, p50 / p95', await measure(words));
  row('LanceDB: vectors, p50 / p95', await measure(meaning));
  row('LanceDB: both, p50 / p95', await measure((i) => Promise.all([words(i), meaning(i)])));
  connection.close();
}
