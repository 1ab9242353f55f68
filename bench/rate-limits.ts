/**
 * `npm run bench:limits [-- --notes 2000 --rounds 7 --url postgres://…/an_empty_database]` measures what limits on
 * requests to sources cost: an admission, in windows that are as full as their limit allows, and a sync whose requests
 * are counted against a limit that they never reach, beside the same sync without the flag.
 *
 * The service that is synced runs on this machine. It answers at once, so that a request takes about a millisecond, or after
 * 20 ms as a quick real service does. The syncs take turns in one process, on the disk of the temporary folder.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openProcess } from '../packages/server/src/app.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { connect, databaseKind } from '../packages/server/src/db/connect.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { createLog } from '../packages/server/src/log.ts';
import { createAdmissions } from '../packages/server/src/rate-limits/admissions.ts';
import { countingDatabase } from '../packages/server/src/rate-limits/counting-database.ts';
import {
  type Cloud,
  cloudNotes,
  openCloud,
  settingsOf,
} from '../packages/server/src/test/rate-limits/cloud.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { secondsOf } from './bookkeeping.ts';
import { percentile } from './service.ts';

const LIMITS = [100, 1_000, 10_000];
const ADMISSIONS = 2000;
const LATENCY_MS = 20;

interface SyncedService {
  readonly cloud: Cloud;
  /** If true, each note takes a request; otherwise a page of 50 does. */
  readonly each: boolean;
}

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    notes: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '7' },
    url: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const url = values.url ?? join(folder, 'quarry.db');
const kind = databaseKind(url);
const db = connect(url);
await migrate(db, kind);
try {
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
  console.log(`Node ${process.versions.node}, ${kind}; load ${loadavg()[0]?.toFixed(1)}\n`);
  await measureAdmissions();
  await measureSyncs(Number(values.notes), Number(values.rounds));
} finally {
  await db.destroy();
  rmSync(folder, { recursive: true });
}

/** Fills each window up to its limit, and then measures admissions to it. */
async function measureAdmissions(): Promise<void> {
  const counting = countingDatabase({ db, kind, url });
  const admissions = createAdmissions({ db: counting, kind, now: () => performance.now() });
  const asking = { connectionId: 'bench', waits: true };
  console.log('| limit | admission, ms p50 | p95 |');
  console.log('|---|---|---|');
  for (const limit of LIMITS) {
    tellProgress(`admissions at a limit of ${limit}`);
    const window = { organizationId: 'bench', shortName: `limit-${limit}`, connectionId: '' };
    // A window of a second lets requests leave while others are admitted.
    const admit = async (windowSeconds: number) => {
      const refusal = await admissions.admit([{ window, limit, windowSeconds }], asking);
      if (refusal) await sleep(refusal.retryMs);
      return !refusal;
    };
    for (let i = 1; i < limit; i++) await admit(3600);
    const times: number[] = [];
    while (times.length < ADMISSIONS) {
      const before = performance.now();
      if (await admit(1)) times.push(performance.now() - before);
    }
    const shown = [0.5, 0.95].map((share) => percentile(times, share).toFixed(2));
    console.log(`| ${limit.toLocaleString('en')} | ${shown.join(' | ')} |`);
  }
  if (counting !== db) await counting.destroy();
}

async function measureSyncs(notes: number, rounds: number): Promise<void> {
  const fast = await openCloud({ notes, perPage: 50 });
  const real = await openCloud({ notes, perPage: 50, latencyMs: LATENCY_MS });
  const config = readConfig({
    QUARRY_DATA_DIR: join(folder, 'data'),
    QUARRY_ALLOW_LOOPBACK: 'true',
    ...(values.url && { DATABASE_URL: values.url }),
  });
  const quarry = await openProcess(config, {
    log: createLog('warn', { pretty: false }),
    threads: false,
    sources: new Map([['cloud', cloudNotes()]]),
    onFatal: (error) => {
      throw error;
    },
  });
  /** Sends a request of the organization `of`; by default it is the first one. */
  const call = async (
    method: 'GET' | 'POST' | 'PUT',
    url: string,
    { of, payload }: { of?: string; payload?: object } = {},
  ) => {
    const headers = {
      authorization: `Bearer ${quarry.key}`,
      ...(of && { 'x-organization-id': of }),
    };
    const answer = await quarry.api.inject({ method, url, headers, ...(payload && { payload }) });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.body}`);
    return answer.json();
  };
  // The first organization has the flag, and another one does not have it.
  const counted = (await call('GET', '/v1/organizations'))[0].id;
  const { id: free } = await call('POST', '/v1/organizations', {
    payload: { name: 'Free' },
  });
  const payload = { limit: 1_000_000, window_seconds: 60 };
  await call('PUT', '/v1/source-rate-limits/cloud', { payload });
  let made = 0;
  /** Returns the seconds of a first sync. */
  async function sync(of: string, { cloud, each }: SyncedService): Promise<number> {
    const collection = `bench-${made++}`;
    await call('POST', '/v1/collections', {
      of,
      payload: { name: 'Bench', readable_id: collection },
    });
    const { id } = await call('POST', '/v1/source-connections', {
      of,
      payload: {
        name: 'Bench',
        short_name: 'cloud',
        readable_collection_id: collection,
        schedule: { cron: null },
        ...settingsOf(cloud, { each }),
      },
    });
    for (;;) {
      const [job] = await call('GET', `/v1/source-connections/${id}/jobs?limit=1`, { of });
      if (job.status === 'COMPLETED')
        return secondsOf(await call('GET', `/v1/sync/jobs/${job.id}`, { of }));
      if (['FAILED', 'CANCELLED'].includes(job.status)) throw new Error(JSON.stringify(job));
      await sleep(5);
    }
  }
  try {
    console.log(
      `\n| sync of ${notes.toLocaleString('en')} notes | flag off, s | flag on, s | longer, % |`,
    );
    console.log('|---|---|---|---|');
    const services = {
      'a request for 50 notes': { cloud: fast, each: false },
      'a request for each note': { cloud: fast, each: true },
      [`a request for each note, ${LATENCY_MS} ms`]: { cloud: real, each: true },
    };
    for (const [name, service] of Object.entries(services)) {
      await sync(counted, service);
      const [off, on]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        tellProgress(`round ${round + 1} of ${rounds}`);
        off.push(await sync(free, service));
        on.push(await sync(counted, service));
      }
      const [without, within] = [percentile(off, 0.5), percentile(on, 0.5)];
      const longer = (100 * (within - without)) / without;
      console.log(
        `| ${name} | ${without.toFixed(2)} | ${within.toFixed(2)} | ${longer.toFixed(1)} |`,
      );
    }
  } finally {
    await quarry.close();
    await fast.close();
    await real.close();
  }
}
