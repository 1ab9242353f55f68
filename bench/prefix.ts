/**
 * `npm run bench:prefix [-- 1000]` asks each of that many random queries for k results, for k + n results, and for the
 * n results after the first k. It counts the queries for which these lists contradict each other, also in their scores.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { writeCorpus } from './corpus.ts';
import { startService } from './service.ts';

answerHelp(import.meta.filename);
const total = Number(process.argv[2] ?? 1000);
const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
mkdirSync(join(dir, 'files'));
const { queries } = writeCorpus(join(dir, 'files'), { files: 1000, seed: 3 });
const service = await startService(join(dir, 'data'));
await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
const { id } = await service.call('POST', '/v1/source-connections', {
  name: 'Bench folder',
  short_name: 'files',
  readable_collection_id: 'bench',
  config: { path: join(dir, 'files') },
});
await service.settled(id);

let differ = 0;
for (let i = 0; i < total; i++) {
  if (i % 100 === 0) tellProgress(`${i} of ${total} queries asked`);
  const ask = async (limit: number, offset: number) => {
    const { results } = await service.call('POST', '/v1/collections/bench/search', {
      query: queries[i % queries.length],
      retrieval_strategy: ['hybrid', 'keyword', 'neural'][i % 3],
      rerank: i % 2 === 0,
      generate_answer: false,
      limit,
      offset,
    });
    return results;
  };
  const k = 1 + Math.floor(Math.random() * 400);
  const n = 1 + Math.floor(Math.random() * 400);
  const [few, many, rest] = [await ask(k, 0), await ask(k + n, 0), await ask(n, k)];
  assert.ok(few.length > 0);
  if (!isDeepStrictEqual([...few, ...rest], many)) differ++;
}
console.log(`${total} queries: in ${differ} the first k, or the n after them, differ`);
await service.stop();
rmSync(dir, { recursive: true });
