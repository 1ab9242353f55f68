/**
 * `npm run bench:sync [-- --entities 10000,100000] [--postgres] [--500k]` measures first and repeated syncs of the
 * given numbers of entities, the memory of the process meanwhile, and the time that a sync needs for its bookkeeping.
 *
 * Bookkeeping is measured inside the process, in a run of its own at the first size. It consists of leases and cancels,
 * the counters at the beginning of a commit, bookmarks and cursors, and the pauses for other writers. Most of the time
 * of a commit is the writing of records, which would take as long with fewer commits. So only the time of a commit of
 * one row on the same disk counts as bookkeeping, and the rest is shown separately.
 *
 * The entities are files of about 110 words, or with `--postgres` rows of a table with 20 words each, for which the
 * bench starts a PostgreSQL (or TEST_POSTGRES_URL names one with a password). `--500k` adds 500,000 rows.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPeer } from '../packages/server/src/test/sources/postgres-peer.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { type Job, medianCommit, secondsOf, sharesOf, watched } from './bookkeeping.ts';
import { vocabulary, writeCorpus } from './corpus.ts';
import { percentile, type Service, startService } from './service.ts';

const REPEATED = 3;
const SAMPLE_MS = 100;
const WORDS_PER_ROW = 20;
const CAPTION =
  'Bookkeeping: timed inside the process, at the first size; each commit is charged what committing one row takes.';

type Columns = Readonly<Record<string, string>>;
/** These are the settings of a connection, which say where the entities are. */
type Settings = Readonly<Record<string, unknown>>;

answerHelp(import.meta.filename);
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
const files = values.postgres ? [] : sizes;
const rows = [...(values.postgres ? sizes : []), ...(values['500k'] ? [500_000] : [])];
if (files.length > 0) await series('files', files, withFiles);
if (rows.length > 0) await series('rows', rows, withRows);

async function series(
  of: string,
  sizes: readonly number[],
  withEntities: (size: number, use: (settings: Settings) => Promise<Columns>) => Promise<Columns>,
): Promise<void> {
  const columns: Columns[] = [];
  for (const size of sizes)
    columns.push(
      await withEntities(size, (settings) => bench(settings, size, columns.length === 0)),
    );
  table(
    sizes.map((size) => `${size.toLocaleString('en')} ${of}`),
    columns,
  );
}

async function withFiles(size: number, use: (settings: Settings) => Promise<Columns>) {
  const path = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    writeCorpus(path, { files: size, seed: 1, sections: 1 });
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
      [vocabulary(), vocabulary().length - 1, WORDS_PER_ROW, size],
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

async function bench(settings: Settings, size: number, first: boolean): Promise<Columns> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    const columns = await speedAndMemory(settings, size, join(dir, 'plain'));
    return first ? { ...columns, ...(await bookkeeping(settings, size, dir)) } : columns;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function speedAndMemory(settings: Settings, size: number, data: string): Promise<Columns> {
  const service = await startService(data);
  const memory = watchMemory(service);
  try {
    const start = memory.peak();
    const syncs = syncsOf(service, settings, size);
    const first = secondsOf(await syncs.first());
    const duringFirst = memory.peak();
    const unchanged = percentile((await syncs.unchanged()).map(secondsOf), 0.5);
    return {
      'first sync, entities/s': rate(size, first),
      'unchanged, s (median)': unchanged.toFixed(1),
      'unchanged, entities/s': rate(size, unchanged),
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

/** Measures bookkeeping in a run of its own, because the measurement itself takes time. */
async function bookkeeping(settings: Settings, size: number, dir: string): Promise<Columns> {
  const folder = join(dir, 'bookkeeping');
  const service = await startService(join(dir, 'watched'), undefined, watched(folder));
  const jobs: Record<string, readonly Job[]> = {};
  try {
    const syncs = syncsOf(service, settings, size);
    jobs.first = [await syncs.first()];
    jobs.unchanged = await syncs.unchanged();
  } finally {
    await service.stop();
  }
  const shares = sharesOf(jobs, folder, medianCommit(join(dir, 'bare.db')));
  return Object.fromEntries(
    shares.flatMap(({ of, bookkeeping, parts, writing }) => [
      [`bookkeeping, ${of} sync, %`, `${bookkeeping} (${parts.join(', ')})`],
      [`… what else its commits take (${of}), %`, writing],
    ]),
  );
}

/** Returns the syncs of one connection. */
function syncsOf(service: Service, settings: Settings, size: number) {
  let id: string;
  return {
    async first(): Promise<Job> {
      tellProgress(`first sync of ${size} entities`);
      await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
      ({ id } = await service.call('POST', '/v1/source-connections', {
        name: 'Bench',
        readable_collection_id: 'bench',
        schedule: { cron: null },
        ...settings,
      }));
      const job = await service.settled(id);
      assert.equal(job.entities_inserted, size);
      return job;
    },
    async unchanged(): Promise<Job[]> {
      const jobs: Job[] = [];
      for (let i = 0; i < REPEATED; i++) {
        tellProgress(`unchanged sync ${i + 1} of ${REPEATED}`);
        await service.call('POST', `/v1/source-connections/${id}/run`);
        const job = await service.settled(id);
        assert.equal(job.entities_kept, size);
        jobs.push(job);
      }
      return jobs;
    },
  };
}

function rate(entities: number, seconds: number): string {
  return Math.round(entities / seconds).toLocaleString('en');
}

/** `peak` returns the highest memory in megabytes since its last call. */
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
  console.log(`\n${CAPTION}`);
}
