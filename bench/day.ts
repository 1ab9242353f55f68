/**
 * `npm run bench:day [-- --users 500] [--minutes 10] [--pause 10] [--keys 100] [--chunks 10000] [--database postgres]`
 * plays a day of people and assistants at work in a few minutes: searches, questions with streamed steps, calls of tools,
 * reads, lists, pushes, deletions, and streams of jobs. Each user waits `--pause` seconds in the mean before the next
 * request.
 *
 * It ends with exit code 1 when an answer was a 5xx or another error, when an acknowledged entity is missing, or when a
 * deleted one is still there. A 429 does not count, because an organization may ask 1,000 questions an hour. Memory is printed at each
 * tenth of the time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '../packages/server/src/test/postgres-server.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { vocabulary, writeCorpus } from './corpus.ts';
import { runClients, type Tally } from './load/clients.ts';
import { askHealth } from './load/health.ts';
import { COLLECTION, DAY } from './load/kinds.ts';
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
import { type Service, startService } from './service.ts';

const CHUNKS_PER_FILE = 4;
const LOOKS = 10;

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '500' },
    minutes: { type: 'string', default: '10' },
    pause: { type: 'string', default: '10' },
    keys: { type: 'string', default: '100' },
    chunks: { type: 'string', default: '10000' },
    database: { type: 'string', default: 'sqlite' },
  },
});
if (!['sqlite', 'postgres'].includes(values.database))
  throw new Error(`--database ${values.database}: give sqlite or postgres`);
const seconds = Number(values.minutes) * 60;
console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `Node ${process.versions.node}; milliseconds unless stated; ${values.users} users for ${values.minutes} min, a request every ${values.pause} s each, ` +
    `${values.chunks} chunks on ${values.database}\n`,
);

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const corpus = { files: Number(values.chunks) / CHUNKS_PER_FILE, seed: 1 };
const { queries } = writeCorpus(join(dir, 'files'), corpus);
const postgres =
  values.database === 'postgres' ? await startOwnPostgres({ isDurable: true }) : undefined;
try {
  const service = await startService(join(dir, 'data'), ['--no-sample'], {
    ...(postgres && { DATABASE_URL: postgres.url, QUARRY_FILES_ROOTS: dir }),
  });
  try {
    await play(service);
  } finally {
    await service.stop();
  }
} finally {
  await postgres?.stop();
  rmSync(dir, { recursive: true });
}

async function play(service: Service): Promise<void> {
  const { records, connections } = await prepare(service, join(dir, 'files'));
  const keys = await makeKeys(service, Number(values.keys));
  await service.search(COLLECTION, queries[0] ?? 'harbour', 'hybrid');
  row('load average before', loadavg()[0]!.toFixed(1));
  forgetPeak(service.pid);
  const memory = [service.residentMb()];
  const looks = setInterval(
    () => {
      memory.push(service.residentMb());
      tellProgress(`${memory.length - 1} of ${LOOKS} parts of the day have passed`);
    },
    (seconds * 1000) / LOOKS,
  );
  const healthOf = askHealth(service.address);
  const processorBefore = service.processorMs();
  const before = performance.now();
  const tally = await runClients({
    address: service.address,
    clients: Number(values.users),
    seconds,
    pauseMs: Number(values.pause) * 1000,
    shares: DAY,
    keys,
    target: { queries, words: vocabulary(), records, connections },
  });
  clearInterval(looks);
  const took = (performance.now() - before) / 1000;
  const { times, failures } = await healthOf();
  const found = show(tally, took);
  row('GET /health/live, p50 / p99 / max', timesOf(times, [0.5, 0.99, 1]));
  row('… failed', String(failures.length));
  row('resident MB, at each tenth', memory.map((mb) => mb.toFixed(0)).join(' '));
  row('peak resident MB', peakMb(service.pid).toFixed(0));
  row('processors used', ((service.processorMs() - processorBefore) / 1000 / took).toFixed(2));
  const wrong = await compare(service, connections, tally);
  if (wrong + found.unavailable + found.errors + failures.length > 0) process.exitCode = 1;
}

/** Returns how many acknowledged entities are missing, and how many deleted ones are still there. */
async function compare(
  service: Service,
  connections: readonly string[],
  { acknowledged, deleted }: Tally,
): Promise<number> {
  tellProgress('waiting for the pushes');
  const stored = await storedEntities(service, connections);
  const gone = new Set(deleted);
  const lost = acknowledged.filter((id) => !gone.has(id) && !stored.has(id)).length;
  const left = deleted.filter((id) => stored.has(id)).length;
  row('acknowledged entities, lost', `${acknowledged.length}, ${lost}`);
  row('deleted entities, still there', `${deleted.length}, ${left}`);
  return lost + left;
}
