/**
 * `npm run bench:pushes [-- --clients 1,16,50] [--seconds 4] [--rounds 3] [--database postgres] [--before <folder>]`
 * measures pushes of 1 KB and of the limit: how many are acknowledged in a second, after which time, how late the
 * event loop of the API is meanwhile, and how long /health/live takes.
 *
 * With `--before`, the service of that checkout is measured in turns with this one, and the medians of both are compared.
 * Large pushes have large fields and short texts, so that the syncs of the pushes take little of the processors.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MAX_PUSH_BYTES, MAX_PUSHED } from '../packages/server/src/model/pushed.ts';
import { freePort } from '../packages/server/src/test/free-port.ts';
import { startOwnPostgres } from '../packages/server/src/test/postgres-server.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { mulberry32, vocabulary } from './corpus.ts';
import { askHealth } from './load/health.ts';
import { connection } from './load/request.ts';
import { forgetPeak, makeKeys, peakMb, row } from './load/stage.ts';
import { percentile, type Service, startCheckout } from './service.ts';

const CONNECTIONS = 8;
const KEYS = 20;
const WARM_UP = 10;
const SMALL_BYTES = 1024;
/** An entity takes so many bytes of the body beside its words. */
const FRAME_BYTES = 90;
const HERE = join(import.meta.dirname, '..');

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1,16,50' },
    sizes: { type: 'string', default: 'small,limit' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    database: { type: 'string', default: 'sqlite' },
    before: { type: 'string' },
  },
});
if (!['sqlite', 'postgres'].includes(values.database))
  throw new Error(`--database ${values.database}: give sqlite or postgres`);
const seconds = Number(values.seconds);
const bodies = { small: bodyOf(1, SMALL_BYTES), limit: bodyOf(MAX_PUSHED, MAX_PUSH_BYTES) };
const checkouts = values.before === undefined ? [HERE] : [values.before, HERE];

interface PushFigures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly loopP99: number;
  readonly loopMax: number;
  readonly healthP99: number;
  readonly refused: number;
  readonly peakMb: number;
}

const NAMES: Readonly<Record<keyof PushFigures, string>> = {
  perSecond: 'acknowledged/s',
  p50: 'acknowledged after, p50',
  p95: '… p95',
  loopP99: 'delay of the event loop, p99',
  loopMax: '… max',
  healthP99: 'GET /health/live, p99',
  refused: 'refused with 503 or 429',
  peakMb: 'peak resident MB',
};

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `Node ${process.versions.node}; milliseconds unless stated; ${values.database}, medians of ${values.rounds} rounds of ${seconds} s; load average ${loadavg()[0]?.toFixed(1)}\n`,
);
for (const size of values.sizes.split(',') as (keyof typeof bodies)[])
  for (const clients of values.clients.split(',').map(Number)) {
    const figures: PushFigures[][] = checkouts.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [i, folder] of checkouts.entries()) {
        tellProgress(`${size}, ${clients} clients, round ${round + 1}, ${folder}`);
        figures[i]?.push(await measure(folder, { size, clients }));
      }
    console.log(`${size} (${bodies[size].length} bytes), ${clients} clients`);
    for (const name of Object.keys(NAMES) as (keyof PushFigures)[])
      row(
        NAMES[name],
        compared(
          figures.map((of) =>
            percentile(
              of.map((one) => one[name]),
              0.5,
            ),
          ),
        ),
      );
  }

function compared(medians: readonly number[]): string {
  const [before = 0, now] = medians.map((value) => Number(value.toFixed(value < 100 ? 1 : 0)));
  if (now === undefined) return String(before);
  return `${before} before, ${now} now${before > 0 ? ` (${(now / before).toFixed(2)})` : ''}`;
}

async function measure(
  folder: string,
  { size, clients }: { readonly size: keyof typeof bodies; readonly clients: number },
): Promise<PushFigures> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  const postgres =
    values.database === 'postgres' ? await startOwnPostgres({ isDurable: true }) : undefined;
  const metrics = await freePort();
  const service = await startCheckout(folder, join(dir, 'data'), {
    QUARRY_LOG_LEVEL: 'silent',
    QUARRY_METRICS_PORT: String(metrics),
    ...(postgres && { DATABASE_URL: postgres.url }),
  });
  try {
    const connections = await connect(service);
    const keys = await makeKeys(service, KEYS);
    await push(service, { clients: 1, until: WARM_UP, size, connections, keys });
    forgetPeak(service.pid);
    await loopDelays(metrics);
    const healthOf = askHealth(service.address);
    const began = performance.now();
    const { times, refused } = await push(service, {
      ...{ clients, until: began + seconds * 1000, size, connections, keys },
    });
    const took = (performance.now() - began) / 1000;
    const { times: health } = await healthOf();
    const [loopP99 = Number.NaN, loopMax = Number.NaN] = await loopDelays(metrics);
    return {
      perSecond: times.length / took,
      p50: percentile(times, 0.5),
      p95: percentile(times, 0.95),
      ...{ loopP99, loopMax, refused },
      healthP99: percentile(health, 0.99),
      peakMb: peakMb(service.pid),
    };
  } finally {
    await service.kill();
    await postgres?.stop();
    rmSync(dir, { recursive: true });
  }
}

async function connect({ call }: Service): Promise<string[]> {
  await call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
  const ids: string[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const made = await call('POST', '/v1/source-connections', {
      name: `Pushes ${i}`,
      short_name: 'push',
      readable_collection_id: 'bench',
    });
    ids.push(made.id);
  }
  return ids;
}

interface PushPlan {
  readonly clients: number;
  /** Up to 1,000 it is a number of pushes, and otherwise a time of `performance.now()`. */
  readonly until: number;
  readonly size: keyof typeof bodies;
  readonly connections: readonly string[];
  readonly keys: readonly string[];
}

/** Each client sends its next push as soon as it has an answer. */
async function push(service: Service, plan: PushPlan) {
  const times: number[] = [];
  let refused = 0;
  let sent = 0;
  const goesOn = () => (plan.until <= 1000 ? sent < plan.until : performance.now() < plan.until);
  const client = async (number: number) => {
    const { send, close } = connection(service.address);
    while (goesOn()) {
      const to = plan.connections[sent++ % plan.connections.length];
      const { status, ms, text } = await send({
        method: 'POST',
        path: `/v1/source-connections/${to}/entities`,
        key: plan.keys[number % plan.keys.length]!,
        headers: { 'idempotency-key': `${number}-${sent}` },
        body: bodies[plan.size],
      });
      if (status === 202) times.push(ms);
      else if (status === 503 || status === 429) refused++;
      else throw new Error(`${status} ${text}`);
    }
    close();
  };
  await Promise.all(Array.from({ length: plan.clients }, (_, number) => client(number)));
  return { times, refused };
}

/** Returns the delays of the event loop of the API since the last call, p99 and the longest one. */
async function loopDelays(port: number): Promise<number[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return ['99', '100'].map((share) => {
    const line = new RegExp(
      `^quarry_event_loop_delay_seconds\\{(?=[^}]*thread="main")[^}]*percentile="${share}"[^}]*\\} (\\S+)`,
      'm',
    );
    return Number(line.exec(text)?.[1]) * 1000;
  });
}

/** Returns a push of so many entities that has about so many bytes. */
function bodyOf(count: number, bytes: number): Buffer {
  const random = mulberry32(1);
  const words = vocabulary();
  const entities = Array.from({ length: count }, (_, i) => {
    let body = '';
    while (body.length < Math.floor(bytes / count) - FRAME_BYTES)
      body += `${words[Math.floor(random() * words.length)]} `;
    const id = `record-${i}`;
    return { entity_id: id, name: id, text: '', metadata: { body: body.slice(0, -20) } };
  });
  return Buffer.from(JSON.stringify({ entities }));
}
