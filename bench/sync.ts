/**
 * `npm run bench:sync [-- --entities 10000,100000] [--postgres] [--500k]`: first and repeated syncs of so
 * many entities, the memory of the process meanwhile, and what a sync spends on its bookkeeping.
 *
 * The entities are files of about 110 words, or with `--postgres` rows of a table with 20 words each, for
 * which a PostgreSQL is started (or TEST_POSTGRES_URL names one with a password). `--500k` adds 500,000 rows.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPeer } from '../packages/server/src/test/sources/postgres-peer.ts';
import type { Entry, Kind } from './bookkeeping.ts';
import { vocabulary, writeCorpus } from './corpus.ts';
import { percentile, type Service, startService } from './service.ts';

const REPEATED = 3;
const SAMPLE_MS = 100;
const WORDS_A_ROW = 20;
const BOOKKEEPING = new URL('./bookkeeping.ts', import.meta.url);

type Columns = Readonly<Record<string, string>>;
/** What of a connection says where the entities are. */
type Settings = Readonly<Record<string, unknown>>;

const { values } = parseArgs({
  options: {
    entities: { type: 'string', default: '10000,100000' },
    postgres: { type: 'boolean', default: false },
    '500k': { type: 'boolean', default: false },
  },
});
const sizes = values.entities.split(',').map(Number);

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(`Node ${process.versions.node}; load ${loadavg()[0]?.toFixed(1)}`);
if (!values.postgres) await series('files', sizes, withFiles);
if (values.postgres || values['500k'])
  await series(
    'rows',
    [...(values.postgres ? sizes : []), ...(values['500k'] ? [500_000] : [])],
    withRows,
  );

async function series(
  of: string,
  sizes: readonly number[],
  withEntities: (size: number, use: (settings: Settings) => Promise<Columns>) => Promise<Columns>,
): Promise<void> {
  const columns: Columns[] = [];
  for (const size of sizes) columns.push(await withEntities(size, bench));
  table(
    sizes.map((size) => `${size.toLocaleString('en')} ${of}`),
    columns,
  );
}

async function withFiles(size: number, use: (settings: Settings) => Promise<Columns>) {
  const path = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    writeCorpus(path, size, 1, 1);
    return await use({ short_name: 'files', config: { path } });
  } finally {
    rmSync(path, { recursive: true });
  }
}

async function withRows(size: number, use: (settings: Settings) => Promise<Columns>) {
  const peer = await openPeer();
  try {
    const credentials = await peer.schema('create table notes (id int primary key, body text)');
    await peer.sql(
      `insert into notes select i, (
         select string_agg(($1::text[])[1 + floor(3 * (power($2 / 3.0 + 1, random) - 1))::int], ' ')
         from generate_series(1, $3) k, cast((hashint8(i * 1000 + k) & 2147483647) / 2147483648.0 as float8) random)
       from generate_series(1::bigint, $4) i`,
      [vocabulary(), vocabulary().length - 1, WORDS_A_ROW, size],
    );
    return await use({
      short_name: 'postgresql',
      authentication: { credentials },
      config: { tables: ['notes'] },
    });
  } finally {
    await peer.close();
  }
}

async function bench(settings: Settings): Promise<Columns> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    return {
      ...(await speedAndMemory(settings, join(dir, 'plain'))),
      ...(await bookkeeping(settings, dir)),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function speedAndMemory(settings: Settings, data: string): Promise<Columns> {
  const service = await startService(data);
  const memory = watchMemory(service);
  try {
    await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
    const start = memory.peak();
    const id = await connect(service, settings);
    const first = await service.settled(id);
    const duringFirst = memory.peak();
    const repeated: number[] = [];
    for (let i = 0; i < REPEATED; i++) repeated.push(secondsOf(await syncAgain(service, id)));
    const seconds = percentile(repeated, 0.5);
    return {
      'first sync, entities/s': rate(first.entities_inserted, secondsOf(first)),
      'unchanged, s (median)': seconds.toFixed(1),
      'unchanged, entities/s': rate(first.entities_inserted, seconds),
      'resident MB, before': start.toFixed(0),
      '… peak during the first sync': duringFirst.toFixed(0),
      '… peak during the unchanged ones': memory.peak().toFixed(0),
      'database, MB': (statSync(join(data, 'quarry.db')).size / 1e6).toFixed(0),
    };
  } finally {
    memory.stop();
    await service.stop();
  }
}

/** In a run of its own, because watching costs something. */
async function bookkeeping(settings: Settings, dir: string): Promise<Columns> {
  const folder = join(dir, 'bookkeeping');
  const service = await startService(join(dir, 'watched'), undefined, {
    NODE_OPTIONS: `--import ${BOOKKEEPING.href}`,
    BENCH_BOOKKEEPING: folder,
  });
  const jobs: Record<string, Job> = {};
  try {
    await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
    const id = await connect(service, settings);
    jobs.first = await service.settled(id);
    jobs.unchanged = await syncAgain(service, id);
  } finally {
    await service.stop();
  }
  const entries = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .map((line): Entry => JSON.parse(line)),
  );
  return Object.fromEntries(
    Object.entries(jobs).map(([name, job]) => [
      `bookkeeping of a sync (${name})`,
      shares(job, entries),
    ]),
  );
}

interface Job {
  readonly started_at: string;
  readonly completed_at: string;
  readonly entities_inserted: number;
}

function shares(job: Job, entries: readonly Entry[]): string {
  const spent = new Map<Kind, number>();
  for (const { kind, at, ms } of entries) {
    if (at < Date.parse(job.started_at) || at > Date.parse(job.completed_at)) continue;
    spent.set(kind, (spent.get(kind) ?? 0) + ms);
  }
  const percent = (ms: number) => ((ms / secondsOf(job)) * 0.1).toFixed(1);
  const parts = [...spent].map(([kind, ms]) => `${kind} ${percent(ms)}`).toSorted();
  return `${percent([...spent.values()].reduce((a, b) => a + b, 0))} % (${parts.join(', ')})`;
}

async function connect(service: Service, settings: Settings): Promise<string> {
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: 'Bench',
    readable_collection_id: 'bench',
    schedule: { cron: null },
    ...settings,
  });
  return id;
}

async function syncAgain(service: Service, id: string): Promise<Job> {
  await service.call('POST', `/v1/source-connections/${id}/run`);
  return service.settled(id);
}

function secondsOf({ started_at, completed_at }: Job): number {
  return (Date.parse(completed_at) - Date.parse(started_at)) / 1000;
}

function rate(entities: number, seconds: number): string {
  return Math.round(entities / seconds).toLocaleString('en');
}

/** `peak` gives the most megabytes since it was last asked. */
function watchMemory(service: Service) {
  let most = 0;
  const look = () => {
    most = Math.max(most, service.residentMb());
  };
  const clock = setInterval(look, SAMPLE_MS);
  return {
    peak() {
      look();
      const peak = most;
      most = 0;
      return peak;
    },
    stop: () => clearInterval(clock),
  };
}

function table(heads: readonly string[], columns: readonly Columns[]): void {
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
  console.log();
  line(['', ...heads]);
  line(['---', ...heads.map(() => '---')]);
  for (const name of Object.keys(columns[0] ?? {}))
    line([name, ...columns.map((column) => column[name] ?? '')]);
}
