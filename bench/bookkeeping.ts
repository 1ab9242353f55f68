/**
 * Computes the share of a sync's time that its bookkeeping takes, from the lines that watch-bookkeeping.ts has written.
 *
 * Most of the time of a commit is the writing of records, which would take as long with fewer commits. So only the time
 * of a commit of one row counts as bookkeeping, and the rest is shown separately.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../packages/server/src/db/sqlite.ts';
import { percentile } from './service.ts';
import type { Entry, Kind } from './watch-bookkeeping.ts';

const WATCH = new URL('./watch-bookkeeping.ts', import.meta.url);
const COMMITS = 100;

export interface Job {
  readonly started_at: string;
  readonly completed_at: string;
}

/**
 * Returns the environment variables with which a service writes the times of its bookkeeping into the folder when it
 * ends.
 */
export const watched = (folder: string) => ({
  NODE_OPTIONS: `--import ${WATCH.href}`,
  BENCH_BOOKKEEPING: folder,
});

export const secondsOf = ({ started_at, completed_at }: Job): number =>
  (Date.parse(completed_at) - Date.parse(started_at)) / 1000;

/** Returns the median time of the commit of one row to a new database at this path, in milliseconds. */
export function medianCommit(path: string): number {
  const database = openSqlite(path);
  database.exec('create table one (n integer); insert into one values (0)');
  const took: number[] = [];
  for (let i = 0; i < COMMITS; i++) {
    database.exec('begin immediate; update one set n = n + 1');
    const before = performance.now();
    database.exec('commit');
    took.push(performance.now() - before);
  }
  database.close();
  return percentile(took, 0.5);
}

/** Returns shares in percent of the time of the jobs. The keys of `jobs` name the kinds of syncs. */
export function sharesOf(
  jobs: Readonly<Record<string, readonly Job[]>>,
  folder: string,
  bareCommit: number,
) {
  const entries = readdirSync(folder).flatMap((name) => readEntries(join(folder, name)));
  return Object.entries(jobs).map(([of, some]) => ({
    of,
    ...share(some, entries, bareCommit),
  }));
}

const readEntries = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line): Entry => JSON.parse(line));

function share(jobs: readonly Job[], entries: readonly Entry[], bareCommit: number) {
  const during = ({ at }: Entry) =>
    jobs.some((job) => at >= Date.parse(job.started_at) && at <= Date.parse(job.completed_at));
  const spent = new Map<Kind, number>();
  let writing = 0;
  for (const { kind, ms } of entries.filter(during)) {
    const charged = kind === 'commit' ? bareCommit : ms;
    writing += ms - charged;
    spent.set(kind, (spent.get(kind) ?? 0) + charged);
  }
  const seconds = jobs.map(secondsOf).reduce((a, b) => a + b, 0);
  const percent = (ms: number) => (ms / seconds / 10).toFixed(1);
  return {
    bookkeeping: percent([...spent.values()].reduce((a, b) => a + b, 0)),
    parts: [...spent].map(([kind, ms]) => `${kind} ${percent(ms)}`).toSorted(),
    writing: percent(writing),
  };
}
