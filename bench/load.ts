/**
 * `npm run bench:load [-- --clients 200] [--seconds 20] [--keys 20] [--chunks 10000]` runs mixed clients against the
 * service: searches, pushes, reads of records, lists and calls of tools. Each client has a connection of its own and
 * sends its next request as soon as it has an answer; after a refusal it waits as long as Retry-After says. A thread
 * asks /health/live meanwhile. Afterwards every entity of an acknowledged push must be there.
 *
 * `--silent 1000` opens so many further connections that say nothing. `--cpu-prof <folder>` writes a profile of each
 * thread of the service. `--search-threads 2` sets QUARRY_SEARCH_THREADS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { vocabulary, writeCorpus } from './corpus.ts';
import { runClients } from './load/clients.ts';
import { askHealth } from './load/health.ts';
import { BUSY, COLLECTION } from './load/kinds.ts';
import { show } from './load/show.ts';
import {
  forgetPeak,
  makeKeys,
  peakMb,
  prepare,
  row,
  storedEntities,
  timesOf,
} from './load/stage.ts';
import { startService } from './service.ts';

const CHUNKS_PER_FILE = 4;
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
  const { records, connections } = await prepare(service, join(dir, 'files'));
  const keys = await makeKeys(service, Number(values.keys));
  for (const query of queries.slice(0, WARM_UP)) await service.search(COLLECTION, query, 'hybrid');
  const silent = await openSilent(service.address, Number(values.silent));
  forgetPeak(service.pid);
  row('load average before', loadavg()[0]!.toFixed(1));
  row('resident MB before', service.residentMb().toFixed(0));
  tellProgress(`${values.clients} clients for ${values.seconds} s`);
  const healthOf = askHealth(service.address);
  const before = performance.now();
  const processorBefore = service.processorMs();
  const tally = await runClients({
    address: service.address,
    clients: Number(values.clients),
    seconds: Number(values.seconds),
    pauseMs: 0,
    shares: BUSY,
    keys,
    target: { queries, words: vocabulary(), records, connections },
  });
  const seconds = (performance.now() - before) / 1000;
  const processors = (service.processorMs() - processorBefore) / 1000 / seconds;
  const { times, failures } = await healthOf();
  show(tally, seconds);
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

async function openSilent(address: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(address);
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
