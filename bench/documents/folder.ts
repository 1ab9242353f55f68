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
import { basename, extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellProgress } from '../../scripts/help.ts';
import { secondsOf } from '../bookkeeping.ts';
import { writeCorpus } from '../corpus.ts';
import { percentile, type Service, startService } from '../service.ts';
import { makeDocuments } from './make.ts';
import { takenBy, watchTree } from './process-tree.ts';
import { RECIPES } from './recipes.ts';
import { printTable } from './table.ts';

/** These documents ship with the packages of Debian. */
const SHIPPED = '/usr/share/doc/**/*.{html,pdf,md,rst,txt,xml,svg,gz}';
/** From each package come few files of a kind, so that the folder is mixed. */
const PER_PACKAGE = 6;
const SEEDS = [1, 3, 4, 5];
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
  readonly peakMb: number;
  readonly childrenMs: number;
  readonly readBytes: number;
}

export async function measureFolder({ documents }: { readonly documents: number }): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    const folder = join(dir, 'documents');
    const made = await fillFolder(folder, documents);
    const { queries } = writeCorpus(join(dir, 'searched'), SEARCHED);
    const service = await startService(join(dir, 'data'));
    try {
      await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
      await service.settled(await connect(service, join(dir, 'searched')));
      await syncs(service, { folder, queries, made });
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
  const counts = new Map<string, number>();
  const shipped = globSync(SHIPPED)
    .sort()
    .filter((path) => {
      const key = `${path.split('/')[4]} ${extname(path)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return (counts.get(key) ?? 0) <= PER_PACKAGE && statSync(path).isFile();
    });
  // Files are taken at even distances, so that those of all packages have the same chance.
  const wanted = documents - made.length;
  const every = Math.max(1, shipped.length / wanted);
  const taken = Array.from(
    { length: Math.min(wanted, shipped.length) },
    (_, i) => shipped[Math.floor(i * every)] ?? '',
  );
  for (const [i, path] of [...made, ...taken].entries()) {
    const sub = join(folder, `d${i % 20}`);
    if (i < 20) mkdirSync(sub, { recursive: true });
    copyFileSync(path, join(sub, `${i}-${basename(path)}`));
  }
  return made.length;
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
}

async function syncs(service: Service, { folder, queries, made }: Task): Promise<void> {
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
  let id = '';
  const first = await measured(service, search, async () => {
    tellProgress('first sync');
    id = await connect(service, folder);
    return id;
  });
  const again = (what: string) =>
    measured(service, null, async () => {
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
  const row = (what: string, { job, peakMb, childrenMs, readBytes }: Measured) => [
    what,
    secondsOf(job).toFixed(1),
    (files.length / secondsOf(job)).toFixed(0),
    [job.entities_inserted, job.entities_updated, job.entities_kept].join(' / '),
    (childrenMs / 1000).toFixed(1),
    (readBytes / 1e6).toFixed(1),
    peakMb.toFixed(0),
  ];
  printTable(
    [
      'sync',
      'seconds',
      'files/s',
      'inserted / updated / kept',
      'processor time of children, s',
      'MB read',
      'peak MB',
    ],
    [row('first', first), row('unchanged', unchanged), row('touched', touched)],
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

/** Searches during the sync that `start` begins, if there is a search. */
async function measured(
  service: Service,
  search: (() => Promise<number>) | null,
  start: () => Promise<string>,
): Promise<Measured> {
  const before = takenBy(service.pid);
  const memory = watchTree(service.pid, SAMPLE_MS);
  const searches: number[] = [];
  try {
    let isRunning = true;
    const id = await start();
    const ended = service.settled(id).finally(() => {
      isRunning = false;
    });
    while (search !== null && isRunning) {
      const next = sleep(SEARCH_EVERY_MS);
      searches.push(await search());
      await next;
    }
    const job: Job = await ended;
    const after = takenBy(service.pid);
    return {
      ...{ job, searches, peakMb: memory.peak() },
      childrenMs: after.childrenMs - before.childrenMs,
      readBytes: after.readBytes - before.readBytes,
    };
  } finally {
    memory.stop();
  }
}
