/**
 * `npm run bench:several [-- --chunks 2000 --collections 10]` compares a search over several collections with a search
 * over one of them, and with a search over one collection that has all of their records. All are measured in turns, so
 * that other work of the machine affects them alike.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { writeCorpus } from './corpus.ts';
import { pair } from './latency.ts';
import { percentile, startService } from './service.ts';

const CHUNKS_PER_FILE = 4;
const ROUNDS = 3;
/** The first questions of each kind are not measured, because they are slow. */
const WARM_UP = 40;

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '2000' },
    collections: { type: 'string', default: '10' },
    questions: { type: 'string', default: '150' },
    'database-url': { type: 'string' },
  },
});
const chunks = Number(values.chunks);
const count = Number(values.collections);
const row = (name: string, value: string) => console.log(`  ${name.padEnd(52)} ${value}`);

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `Node ${process.versions.node}; milliseconds; ${count} collections of ${chunks} chunks each\n`,
);

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const files = join(dir, 'files');
const written = Array.from({ length: count }, (_, i) =>
  writeCorpus(join(files, `shelf-${i}`), { files: chunks / CHUNKS_PER_FILE, seed: i + 1 }),
);
const queries = written
  .flatMap((corpus) => corpus.queries.slice(0, Math.ceil(Number(values.questions) / count)))
  .slice(0, Number(values.questions));
const url = values['database-url'];
const service = await startService(
  join(dir, 'data'),
  ['--no-sample'],
  url === undefined
    ? { QUARRY_INDEX_MEMORY_MB: '4000' }
    : { DATABASE_URL: url, QUARRY_INDEX_MEMORY_MB: '4000' },
);
try {
  const names = Array.from({ length: count }, (_, i) => `shelf-${i}`);
  for (const name of names) await fill(name, join(files, name));
  await fill('whole', files);

  const ask = (path: string, query: string, body: object = {}) =>
    service.call('POST', path, { query, expand_query: false, generate_answer: false, ...body });
  const kinds: readonly (readonly [string, (query: string, i: number) => Promise<unknown>])[] = [
    ['one collection', (query, i) => ask(`/v1/collections/shelf-${i % count}/search`, query)],
    [
      'POST /v1/search over one',
      (query, i) => ask('/v1/search', query, { collections: [`shelf-${i % count}`] }),
    ],
    [`POST /v1/search over ${count}`, (query) => ask('/v1/search', query, { collections: names })],
    ['one collection with all records', (query) => ask('/v1/collections/whole/search', query)],
  ];
  const took: number[][] = kinds.map(() => []);
  const before = loadavg()[0];
  for (let round = 0; round < ROUNDS; round++) {
    tellProgress(`round ${round + 1} of ${ROUNDS}`);
    for (const [i, query] of queries.entries())
      for (const k of kinds.keys()) {
        // Each kind comes first equally often, because a question takes less time when it is asked again.
        const which = (k + i + round) % kinds.length;
        const started = performance.now();
        await kinds[which]?.[1](query, i);
        took[which]?.push(performance.now() - started);
      }
  }
  row('load average of the last minute, before / after', pair(before ?? 0, loadavg()[0] ?? 0));
  const at = (k: number) => {
    const all = took[k]?.slice(WARM_UP) ?? [];
    return [percentile(all, 0.5), percentile(all, 0.95)] as const;
  };
  for (const [k, [name]] of kinds.entries()) row(`${name}, p50 / p95`, pair(...at(k)));
  row(`over ${count} / over one, p50`, (at(2)[0] / at(0)[0]).toFixed(2));
  row(`over ${count} / one with all records, p50`, (at(2)[0] / at(3)[0]).toFixed(2));
} finally {
  await service.stop();
  rmSync(dir, { recursive: true });
}

async function fill(readableId: string, path: string): Promise<void> {
  tellProgress(readableId);
  await service.call('POST', '/v1/collections', { name: readableId, readable_id: readableId });
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: readableId,
    short_name: 'files',
    readable_collection_id: readableId,
    config: { path },
    schedule: { cron: null },
  });
  await service.settled(id);
}
