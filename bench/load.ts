/**
 * `npm run bench:load [-- --clients 200] [--seconds 20] [--keys 20] [--chunks 10000]` runs mixed clients against the
 * service: searches, pushes, reads of records, lists and calls of tools. Each client has a connection of its own and
 * sends its next request as soon as it has an answer; after a refusal it waits as long as Retry-After says. A thread
 * asks /health/live meanwhile. Afterwards every entity of an acknowledged push must be there.
 *
 * `--silent 1000` opens so many further connections that say nothing. `--cpu-prof <folder>` writes a profile of each
 * thread of the service. `--search-threads 2` sets QUARRY_SEARCH_THREADS.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { vocabulary, writeCorpus } from './corpus.ts';
import { runClients, type Tally } from './load/clients.ts';
import { COLLECTION, KINDS } from './load/kinds.ts';
import { percentile, type Service, startService } from './service.ts';

const CHUNKS_PER_FILE = 4;
const CONNECTIONS = 8;
const PAGE = 1000;
/** So many searches are made before the load, so that the collection is in memory. */
const WARM_UP = 20;

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
    keys: { type: 'string', default: '20' },
    chunks: { type: 'string', default: '10000' },
    silent: { type: 'string', default: '0' },
    'cpu-prof': { type: 'string' },
    'search-threads': { type: 'string' },
  },
});
const row = (name: string, value: string) => console.log(`  ${name.padEnd(46)} ${value}`);
const chunks = Number(values.chunks);
console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `Node ${process.versions.node}; milliseconds unless stated; ${values.clients} clients with ${values.keys} keys, ${chunks} chunks\n`,
);

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const { queries } = writeCorpus(join(dir, 'files'), { files: chunks / CHUNKS_PER_FILE, seed: 1 });
const profiles = values['cpu-prof'];
const threads = values['search-threads'];
const service = await startService(join(dir, 'data'), ['--no-sample'], {
  // Each refusal of the database would be a line of the log.
  QUARRY_LOG_LEVEL: 'silent',
  ...(profiles !== undefined && {
    NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}`,
  }),
  ...(threads !== undefined && { QUARRY_SEARCH_THREADS: threads }),
});
try {
  const { records, connections } = await prepare(service);
  const keys = await makeKeys(service, Number(values.keys));
  for (const query of queries.slice(0, WARM_UP)) await service.search(COLLECTION, query, 'hybrid');
  const silent = await openSilent(Number(values.silent));
  forgetPeak(service.pid);
  row('load average before', loadavg()[0]!.toFixed(1));
  row('resident MB before', service.residentMb().toFixed(0));
  tellProgress(`${values.clients} clients for ${values.seconds} s`);
  const health = new Worker(new URL('./load/health-thread.ts', import.meta.url), {
    workerData: service.address,
  });
  const before = performance.now();
  const processorBefore = service.processorMs();
  const tally = await runClients({
    address: service.address,
    clients: Number(values.clients),
    seconds: Number(values.seconds),
    keys,
    target: { queries, words: vocabulary(), records, connections },
  });
  const seconds = (performance.now() - before) / 1000;
  const processors = (service.processorMs() - processorBefore) / 1000 / seconds;
  const ended = new Promise<{ times: number[]; failures: string[] }>((resolve) =>
    health.once('message', resolve),
  );
  health.postMessage('end');
  show(tally, seconds);
  const { times, failures } = await ended;
  row('GET /health/live, p50 / p99 / max', timesOf(times, [0.5, 0.99, 1]));
  row('… failed', String(failures.length));
  row('peak resident MB', peakMb(service.pid).toFixed(0));
  row('processors used', processors.toFixed(1));
  for (const socket of silent) socket.destroy();
  tellProgress('waiting for the pushes');
  const stored = await storedEntities(service, connections);
  const lost = tally.acknowledged.filter((id) => !stored.has(id));
  row('acknowledged entities, lost', `${tally.acknowledged.length}, ${lost.length}`);
  if (lost.length > 0) process.exitCode = 1;
} finally {
  await service.stop();
  rmSync(dir, { recursive: true });
}

function show({ answered, refused, again, errors, reasons }: Tally, seconds: number): void {
  const all = KINDS.flatMap((kind) => answered[kind]);
  const refusals = KINDS.flatMap((kind) => refused[kind]);
  row('answered/s', (all.length / seconds).toFixed(0));
  row('all, p50 / p95 / p99', timesOf(all));
  for (const kind of KINDS) row(`${kind} (${answered[kind].length})`, timesOf(answered[kind]));
  row('refused with 503 or 429', String(refusals.length));
  row('… after, p50 / p95 / p99', timesOf(refusals));
  row('… sent again: answered, refused again', `${again.answered}, ${again.refused}`);
  for (const [reason, count] of reasons) row(`… ${count} ×`, reason);
  row('errors', String([...errors.values()].reduce((sum, count) => sum + count, 0)));
  for (const [error, count] of errors) row(`… ${count} ×`, error);
}

function timesOf(times: readonly number[], shares: readonly number[] = [0.5, 0.95, 0.99]): string {
  return shares.map((share) => percentile(times, share).toFixed(0)).join(' / ');
}

/** Fills the collection, and makes connections that take pushes. Returns ids of records, and of the connections. */
async function prepare({ call, settled }: Service) {
  await call('POST', '/v1/collections', { name: 'Bench', readable_id: COLLECTION });
  const { id } = await call('POST', '/v1/source-connections', {
    name: 'Bench folder',
    short_name: 'files',
    readable_collection_id: COLLECTION,
    config: { path: join(dir, 'files') },
    schedule: { cron: null },
  });
  tellProgress('filling the collection');
  await settled(id);
  const { items } = await call('GET', `/v1/collections/${COLLECTION}/contents/list?limit=200`);
  const records = items.map(({ id }: { id: string }) => id);
  const connections: string[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const made = await call('POST', '/v1/source-connections', {
      name: `Pushes ${i}`,
      short_name: 'push',
      readable_collection_id: COLLECTION,
    });
    connections.push(made.id);
  }
  return { records, connections };
}

async function makeKeys({ call }: Service, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < count; i++)
    keys.push((await call('POST', '/v1/api-keys', { name: `load ${i}`, role: 'member' })).key);
  return keys;
}

async function openSilent(count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(service.address);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise((resolve) => {
          socket.on('error', resolve);
          socket.on('connect', resolve);
        }),
    ),
  );
  return sockets;
}

/** Waits until the pushes have ended, and returns the ids of the entities of their connections. */
async function storedEntities(
  { call, settled }: Service,
  connections: readonly string[],
): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const connection of connections) {
    const [pushed] = await call('GET', `/v1/source-connections/${connection}/jobs?limit=1`);
    if (!pushed) continue;
    await settled(connection);
    for (let skip = 0, length = PAGE; length === PAGE; skip += length) {
      const page = await call(
        'GET',
        `/v1/entities?source_connection_id=${connection}&skip=${skip}&limit=${PAGE}`,
      );
      length = page.length;
      for (const { entity_id } of page) ids.add(entity_id);
    }
  }
  return ids;
}

/** The peak of the resident memory begins again from here. See proc(5), clear_refs. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
