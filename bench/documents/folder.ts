/** Measures syncs of a folder of documents by the real service. */
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellProgress } from '../../scripts/help.ts';
import { secondsOf } from '../bookkeeping.ts';
import { writeCorpus } from '../corpus.ts';
import { pair } from '../latency.ts';
import { percentile, type Service, startService } from '../service.ts';
import { countingOpens, opensIn } from './count-opens.ts';
import { makeDocuments } from './make.ts';
import { type Taken, takenBy, watchTree } from './process-tree.ts';
import { RECIPES } from './recipes.ts';
import { evenly, shippedDocuments } from './shipped.ts';
import { printTable } from './table.ts';

const SEEDS = [1, 3, 4, 5];
/** This share of the documents was made by this bench. */
const SHARE_MADE = 0.24;
/** The searches find these files, which are in another connection of the collection. */
const SEARCHED = { files: 2000, seed: 1 };
const SEARCHES = 300;
const SEARCH_EVERY_MS = 50;
const SAMPLE_MS = 200;

interface Job {
  readonly started_at: string;
  readonly completed_at: string;
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_kept: number;
}

interface Measured {
  readonly job: Job;
  readonly searches: readonly number[];
  readonly peak: Taken;
  readonly rootMs: number;
  readonly childrenMs: number;
  /** The service opened files of the folder so often. */
  readonly opened: number;
}

export async function measureFolder({ documents }: { readonly documents: number }): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    const folder = join(dir, 'documents');
    const made = await fillFolder(folder, documents);
    const { queries } = writeCorpus(join(dir, 'searched'), SEARCHED);
    const opens = join(dir, 'opens');
    const counting = countingOpens(folder, opens);
    const service = await startService(join(dir, 'data'), undefined, counting);
    try {
      await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
      await service.settled(await connect(service, join(dir, 'searched')));
      await syncs(service, { folder, queries, made, opens });
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Returns how many of the documents were made, and not shipped by Debian. */
async function fillFolder(folder: string, documents: number): Promise<number> {
  const made: string[] = [];
  for (const seed of SEEDS)
    made.push(...(await makeDocuments({ seed, recipes: RECIPES })).map(({ path }) => path));
  const chosen = evenly(made, Math.round(documents * SHARE_MADE));
  const taken = evenly(shippedDocuments(), documents - chosen.length);
  for (const [i, path] of [...chosen, ...taken].entries()) {
    const sub = join(folder, `d${i % 20}`);
    if (i < 20) mkdirSync(sub, { recursive: true });
    copyFileSync(path, join(sub, `${i}-${basename(path)}`));
  }
  return chosen.length;
}

async function connect(service: Service, path: string): Promise<string> {
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: basename(path),
    short_name: 'files',
    readable_collection_id: 'bench',
    schedule: { cron: null },
    config: { path },
  });
  return id;
}

interface Task {
  readonly folder: string;
  readonly queries: readonly string[];
  readonly made: number;
  /** This file has a byte for each time that a file was opened. */
  readonly opens: string;
}

async function syncs(service: Service, { folder, queries, made, opens }: Task): Promise<void> {
  const files = globSync(join(folder, '*/*'));
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  let at = 0;
  const search = () => service.search('bench', queries[at++ % queries.length] ?? '', 'hybrid');
  const times: number[] = [];
  tellProgress('searches while nothing is synced');
  for (let i = 0; i < SEARCHES; i++) {
    const next = sleep(SEARCH_EVERY_MS);
    times.push(await search());
    await next;
  }
  const idle = takenBy(service.pid);
  let id = '';
  const first = await measured({ service, opens, search }, async () => {
    tellProgress('first sync');
    id = await connect(service, folder);
    return id;
  });
  const again = (what: string) =>
    measured({ service, opens }, async () => {
      tellProgress(what);
      await service.call('POST', `/v1/source-connections/${id}/run`);
      return id;
    });
  const unchanged = await again('sync of unchanged files');
  const now = new Date();
  for (const path of files) utimesSync(path, now, now);
  const touched = await again('sync of touched files');
  console.log(
    `Folder: ${files.length} files, ${made} of them made here, ${(bytes / 1e6).toFixed(0)} MB\n`,
  );
  const row = (what: string, { job, peak, rootMs, childrenMs, opened }: Measured) => [
    what,
    secondsOf(job).toFixed(1),
    (files.length / secondsOf(job)).toFixed(0),
    [job.entities_inserted, job.entities_updated, job.entities_kept].join(' / '),
    String(opened),
    pair(rootMs / 1000, childrenMs / 1000),
    `${peak.treeMb.toFixed(0)} (${pair(peak.rootMb, peak.treeMb - peak.rootMb, 0)})`,
    peak.pagesMb.toFixed(0),
  ];
  printTable(
    [
      'sync',
      'seconds',
      'files/s',
      'inserted / updated / kept',
      'files opened',
      'processor time, s: service / children',
      'peak MB (service / children)',
      'each page once',
    ],
    [row('first', first), row('unchanged', unchanged), row('touched', touched)],
  );
  console.log(
    `before: ${idle.treeMb.toFixed(0)} MB (${pair(idle.rootMb, idle.treeMb - idle.rootMb, 0)})\n`,
  );
  const spread = (all: readonly number[]) =>
    [0.5, 0.95].map((share) => percentile(all, share).toFixed(1));
  printTable(
    ['search, ms', 'p50', 'p95'],
    [
      ['idle', ...spread(times)],
      [`during the first sync (${first.searches.length})`, ...spread(first.searches)],
    ],
  );
  console.log(
    `p95 during the sync / idle: ${(percentile(first.searches, 0.95) / percentile(times, 0.95)).toFixed(2)}`,
  );
}

interface Measuring {
  readonly service: Service;
  readonly opens: string;
  /** This is called again and again during the sync. */
  readonly search?: () => Promise<number>;
}

/** Returns what the sync took that `start` begins. */
async function measured(
  { service, opens, search }: Measuring,
  start: () => Promise<string>,
): Promise<Measured> {
  const before = { ...takenBy(service.pid), opened: opensIn(opens) };
  const memory = watchTree(service.pid, SAMPLE_MS);
  const searches: number[] = [];
  try {
    let isRunning = true;
    const id = await start();
    const ended = service.settled(id).finally(() => {
      isRunning = false;
    });
    while (search !== undefined && isRunning) {
      const next = sleep(SEARCH_EVERY_MS);
      searches.push(await search());
      await next;
    }
    const job: Job = await ended;
    const after = takenBy(service.pid);
    return {
      ...{ job, searches, peak: memory.peak() },
      rootMs: after.rootMs - before.rootMs,
      childrenMs: after.childrenMs - before.childrenMs,
      opened: opensIn(opens) - before.opened,
    };
  } finally {
    memory.stop();
  }
}
