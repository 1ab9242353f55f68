/**
 * `npm run bench:tools [-- --chunks 10000]` compares a search by the hosted tool server with the same search over HTTP.
 * Both are measured in turns, so that other work of the machine affects both alike.
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
const LIMIT = 20;
const MODERN = '2026-07-28';

answerHelp(import.meta.filename);
const { values } = parseArgs({ options: { chunks: { type: 'string', default: '10000' } } });
const chunks = Number(values.chunks);
const row = (name: string, value: string) => console.log(`  ${name.padEnd(52)} ${value}`);

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(`Node ${process.versions.node}; milliseconds; ${chunks} chunks\n`);

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const { queries } = writeCorpus(join(dir, 'files'), { files: chunks / CHUNKS_PER_FILE, seed: 1 });
const service = await startService(join(dir, 'data'));
try {
  await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: 'Bench folder',
    short_name: 'files',
    readable_collection_id: 'bench',
    config: { path: join(dir, 'files') },
    schedule: { cron: null },
  });
  await service.settled(id);
  const session = await service.openSession('bench');
  const asks: readonly ((query: string) => Promise<unknown>)[] = [
    search,
    (query) => tool(query, { 'mcp-session-id': session }),
    (query) => tool(query, {}, MODERN),
  ];
  const took: number[][] = asks.map(() => []);
  const before = loadavg()[0];
  for (let round = 0; round < ROUNDS; round++) {
    tellProgress(`round ${round + 1} of ${ROUNDS}`);
    for (const [i, query] of queries.entries())
      for (const k of asks.keys()) {
        // Each kind comes first equally often, because a question takes less time when it is asked again.
        const which = (k + i + round) % asks.length;
        took[which]?.push(await timed(() => asks[which]?.(query)));
      }
  }
  row('load average of the last minute, before / after', pair(before ?? 0, loadavg()[0] ?? 0));
  const [http, legacy, modern] = took.map((all) => all.slice(WARM_UP));
  const at = (all: number[] = []) => [percentile(all, 0.5), percentile(all, 0.95)] as const;
  const [http50, http95] = at(http);
  row('search over HTTP, p50 / p95', pair(http50, http95));
  for (const [name, all] of [
    ['search-bench with a session', legacy],
    [`search-bench of revision ${MODERN}`, modern],
  ] as const) {
    const [p50, p95] = at(all);
    row(`${name}, p50 / p95`, pair(p50, p95));
    row('… tool / HTTP', pair(p50 / http50, p95 / http95, 2));
  }
} finally {
  await service.stop();
  rmSync(dir, { recursive: true });
}

async function timed(ask: () => Promise<unknown> | undefined): Promise<number> {
  const before = performance.now();
  await ask();
  return performance.now() - before;
}

/** Sends the same request to the API as the tool does. */
function search(query: string) {
  return service.call('POST', '/v1/collections/bench/search', {
    query,
    limit: LIMIT,
    offset: 0,
    retrieval_strategy: 'hybrid',
    expand_query: false,
    interpret_filters: true,
    rerank: true,
    generate_answer: false,
    score_threshold: 0,
    recency_bias: 0,
  });
}

async function tool(query: string, headers: Record<string, string>, revision?: string) {
  const args = { query, limit: LIMIT, expansion_strategy: 'no_expansion' };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call' };
  const { result } = await service.mcp(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search-bench', arguments: args, ...(revision && { _meta: meta }) },
    },
    {
      'x-collection-readable-id': 'bench',
      ...headers,
      ...(revision && { ...named, 'mcp-name': 'search-bench' }),
    },
  );
  if (result.structuredContent.results.length === 0) throw new Error(`nothing for ${query}`);
}
