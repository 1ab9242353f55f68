/**
 * `npm run bench:webhooks [-- --messages 5000] [--files 40000] [--url postgres://…/an_empty_database]` measures
 * deliveries to a receiver on this machine, by the real program, idle and while a sync runs.
 *
 * Throughput is measured with many messages at the same time, to one subscription and to ten, from the first commit to
 * the last arrival. Latency is measured with one message every 50 ms, from its commit to the arrival of its first
 * attempt. The benchmark writes the messages directly into the database, in the same way as the features of the
 * service.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from '../packages/server/src/db/connect.ts';
import { emit } from '../packages/server/src/events/store.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { writeCorpus } from './corpus.ts';
import { percentile, type Service, startService } from './service.ts';

const SINGLES = 200;
const PAUSE_MS = 50;
answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '5000' },
    files: { type: 'string', default: '40000' },
    url: { type: 'string' },
  },
});
const count = Number(values.messages);

const arrivals = new Map<string, number[]>();
let arrived = 0;
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    response.writeHead(204).end();
    const { collection_name: name } = JSON.parse(body);
    arrivals.set(name, [...(arrivals.get(name) ?? []), performance.now()]);
    arrived++;
  });
});
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
const { port } = receiver.address() as AddressInfo;

const folder = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const data = join(folder, 'data');
const service = await startService(data, ['--no-sample'], {
  QUARRY_ALLOW_LOOPBACK: 'true',
  QUARRY_FILES_ROOTS: folder,
  ...(values.url && { DATABASE_URL: values.url }),
});
const db = connect(values.url ?? join(data, 'quarry.db'), { lockWaitMs: 60_000 });
try {
  writeCorpus(join(folder, 'files'), { files: Number(values.files), seed: 1, sections: 1 });
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
  console.log(`Node ${process.versions.node}; ${values.url ? 'PostgreSQL' : 'SQLite'}`);
  console.log('| | idle | during a sync |\n|---|---|---|');
  const rows: [string, string[]][] = [];
  tellProgress('deliveries while no sync runs');
  const idle = await measure(service);
  const job = await startSync(service);
  tellProgress('deliveries during a sync');
  const busy = await measure(service);
  const { status } = await service.call('GET', `/v1/sync/jobs/${job}`);
  for (const [name, value] of Object.entries(idle)) rows.push([name, [value, busy[name] ?? '']]);
  for (const [name, cells] of rows) console.log(`| ${name} | ${cells.join(' | ')} |`);
  console.log(`The sync was ${status} at the end.`);
} finally {
  await db.destroy();
  await service.stop();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true });
}

async function measure(service: Service): Promise<Record<string, string>> {
  const load = loadavg()[0] ?? 0;
  const one = await throughput(service, 1, count);
  const ten = await throughput(service, 10, count / 10);
  const { p50, p95 } = await latency(service);
  return {
    'deliveries/s, one subscription': one.rate.toFixed(0),
    '… processor time of the service, ms a delivery': one.processor.toFixed(2),
    'deliveries/s, ten subscriptions': ten.rate.toFixed(0),
    'commit to first attempt, p50 / p95, ms': `${p50.toFixed(0)} / ${p95.toFixed(0)}`,
    'load of the machine before': load.toFixed(1),
  };
}

async function throughput(service: Service, subscriptions: number, messages: number) {
  const ids = await subscribe(service, subscriptions);
  const before = arrived;
  const processor = service.processorMs();
  const started = performance.now();
  await tell('burst', messages);
  const wanted = before + messages * subscriptions;
  while (arrived < wanted) await sleep(5);
  const seconds = (performance.now() - started) / 1000;
  const spent = service.processorMs() - processor;
  await unsubscribe(service, ids);
  const deliveries = messages * subscriptions;
  return { rate: deliveries / seconds, processor: spent / deliveries };
}

async function latency(service: Service) {
  const ids = await subscribe(service, 1);
  const waits: number[] = [];
  for (let i = 0; i < SINGLES; i++) {
    const name = `single ${performance.now()}`;
    await tell(name, 1);
    const committed = performance.now();
    void (async () => {
      while (!arrivals.has(name)) await sleep(1);
      waits.push(Math.max(0, (arrivals.get(name)?.[0] ?? 0) - committed));
    })();
    await sleep(PAUSE_MS);
  }
  while (waits.length < SINGLES) await sleep(5);
  await unsubscribe(service, ids);
  return { p50: percentile(waits, 0.5), p95: percentile(waits, 0.95) };
}

async function subscribe(service: Service, subscriptions: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < subscriptions; i++) {
    const body = { url: `http://127.0.0.1:${port}/${i}`, event_types: ['collection.updated'] };
    ids.push((await service.call('POST', '/v1/webhooks/subscriptions', body)).id);
  }
  return ids;
}

async function unsubscribe(service: Service, ids: readonly string[]): Promise<void> {
  for (const id of ids) await service.call('DELETE', `/v1/webhooks/subscriptions/${id}`);
}

async function tell(name: string, messages: number): Promise<void> {
  const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const event = {
    type: 'collection.updated' as const,
    organizationId: id,
    collectionId: 'bench',
    connectionId: null,
    fields: { collection_id: 'bench', collection_readable_id: 'bench', collection_name: name },
  };
  await db
    .transaction()
    .execute((tx) => emit(tx, ...Array.from({ length: messages }, () => event)));
}

/** Returns the id of the sync's job. */
async function startSync(service: Service): Promise<string> {
  await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
  const connection = await service.call('POST', '/v1/source-connections', {
    name: 'Folder',
    short_name: 'files',
    readable_collection_id: 'bench',
    config: { path: join(folder, 'files') },
    sync_immediately: true,
  });
  const [job] = await service.call('GET', `/v1/source-connections/${connection.id}/jobs?limit=1`);
  return job.id;
}
