/**
 * `npm run bench [-- --chunks 10000,100000] [--no-lancedb]` measures the whole service, and compares it with the two
 * queries of its index called directly and with LanceDB, on the same data in the same run. With `--database postgres` it
 * measures the service on a PostgreSQL of its own, and what its commits consist of (on-postgres.ts).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { bundleService } from '../scripts/pack/bundle.ts';
import { BUNDLES, prepareCode, preparedCode } from '../scripts/prepared-code.ts';
import { secondsOf } from './bookkeeping.ts';
import { writeCorpus } from './corpus.ts';
import { type Direct, openDirect } from './direct.ts';
import { connectFolder, each, summary } from './folder.ts';
import { alone, beside, pair, type Row, show, together } from './latency.ts';
import { benchOnPostgres } from './on-postgres.ts';
import { percentile, type Service, startService } from './service.ts';

const CHUNKS_PER_FILE = 4;
const PEER_PATIENCE_MS = 180_000;
answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '10000' },
    lancedb: { type: 'boolean', default: true },
    database: { type: 'string', default: 'sqlite' },
  },
  allowNegative: true,
});

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(`Node ${process.versions.node}; milliseconds unless stated\n`);
if (!['sqlite', 'postgres'].includes(values.database))
  throw new Error(`--database ${values.database}: give sqlite or postgres`);
// A start is measured with the bundle, which every start but the first after a change of the code has.
if (preparedCode(BUNDLES) === undefined) await prepareCode(BUNDLES, bundleService);
for (const size of values.chunks.split(',').map(Number)) await bench(size);
// LanceDB may keep the process alive when it did not answer.
process.exit();

async function bench(chunks: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  const row: Row = (name, value) => console.log(`  ${name.padEnd(52)} ${value}`);
  const load = () => row('load average of the last minute', loadavg()[0]!.toFixed(1));
  console.log(`${chunks} chunks`);
  const { queries } = writeCorpus(join(dir, 'files'), { files: chunks / CHUNKS_PER_FILE, seed: 1 });
  if (values.database === 'postgres') {
    load();
    await benchOnPostgres(dir, queries, row);
    load();
    rmSync(dir, { recursive: true });
    return;
  }
  const service = await startService(join(dir, 'data'));
  try {
    row('start, empty', service.readyAfterMs.toFixed(0));
    await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
    const connection = await connectFolder(service, 'bench', join(dir, 'files'));
    const first = await service.settled(connection);
    const seconds = secondsOf(first);
    const written = first.sync_metadata.chunks_written;
    row('first sync, chunks', String(written));
    row('first sync, findable chunks/s', (written / seconds).toFixed(0));
    await service.call('POST', `/v1/source-connections/${connection}/run`);
    const second = await service.settled(connection);
    row('sync of unchanged files, files/s', (second.entities_kept / secondsOf(second)).toFixed(0));

    load();
    const direct = await openDirect(join(dir, 'data/quarry.db'), queries);
    await alone({ service, direct }, queries, row);
    await together({ service, direct }, queries, row);
    row('word query alone, p50 / p95', summary(await each(queries, direct.words)));
    row('vector scan alone, p50 / p95', summary(await each(queries, direct.meaning)));
    for (const strategy of ['keyword', 'neural', 'hybrid']) {
      const times = await each(queries, (query) => service.search('bench', query, strategy));
      row(`search over HTTP, ${strategy}, p50 / p95`, summary(times));
    }
    await agentic(service, queries, row);
    row('resident MB', service.residentMb().toFixed(0));
    row('database MB', (statSync(join(dir, 'data/quarry.db')).size / 1e6).toFixed(0));

    tellProgress('  searches during a sync of 20,000 other files');
    const busy = await duringSync({ service, direct }, queries, dir);
    show('during a sync', busy.search, row);
    row('GET /health/live meanwhile, p99 / max', busy.health);
    row('resident MB', service.residentMb().toFixed(0));
    load();
    await direct.close();
  } finally {
    await service.stop();
  }
  const again = await startService(join(dir, 'data'));
  row('start, with the data', again.readyAfterMs.toFixed(0));
  await again.stop();
  if (values.lancedb) {
    installLancedb();
    const { benchLancedb } = await import('./lancedb/run.ts');
    const answered = await Promise.race([
      benchLancedb(
        { database: join(dir, 'data/quarry.db'), folder: join(dir, 'lance') },
        queries,
        row,
      ).then(() => true),
      sleep(PEER_PATIENCE_MS, false, { ref: false }),
    ]);
    if (!answered) row('LanceDB', `no answer within ${PEER_PATIENCE_MS / 1000} s`);
  }
  rmSync(dir, { recursive: true });
  console.log();
}

/**
 * Each question consists of two questions, so that the agentic search makes as many searches as it can. Hybrid searches
 * for the second question are measured in turn with the agentic searches.
 */
async function agentic(service: Service, queries: readonly string[], row: Row) {
  const [hybrid, fast, thinking]: [number[], number[], number[]] = [[], [], []];
  for (const [i, query] of queries.slice(1, 201).entries()) {
    const double = `${queries[i]}, and ${query}`;
    hybrid.push(await service.search('bench', query, 'hybrid'));
    fast.push(await service.ask('bench', double, 'fast'));
    thinking.push(await service.ask('bench', double, 'thinking'));
  }
  row('agentic search over HTTP, fast, p50 / p95', summary(fast));
  row('agentic search over HTTP, thinking, p50 / p95', summary(thinking));
  const ratio = (share: number) => percentile(fast, share) / percentile(hybrid, share);
  row('… fast / hybrid in turns', pair(ratio(0.5), ratio(0.95), 2));
}

/** Searches in the large collection while another one of 20,000 files is being filled. */
async function duringSync(
  { service, direct }: { readonly service: Service; readonly direct: Direct },
  queries: readonly string[],
  dir: string,
) {
  mkdirSync(join(dir, 'more'));
  writeCorpus(join(dir, 'more'), { files: 20_000, seed: 2 });
  await service.call('POST', '/v1/collections', { name: 'More', readable_id: 'more' });
  const connection = await connectFolder(service, 'more', join(dir, 'more'));
  const health: number[] = [];
  let running = true;
  const searching = beside({ service, direct }, queries, () => running);
  const living = (async () => {
    while (running) {
      const before = performance.now();
      await service.call('GET', '/health/live');
      health.push(performance.now() - before);
      await sleep(10);
    }
  })();
  await service.settled(connection);
  running = false;
  await living;
  const search = await searching;
  return { search, health: pair(percentile(health, 0.99), percentile(health, 1)) };
}

function installLancedb(): void {
  const folder = join(import.meta.dirname, 'lancedb');
  if (existsSync(join(folder, 'node_modules/@lancedb/lancedb'))) return;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: folder,
    stdio: 'inherit',
  });
}
