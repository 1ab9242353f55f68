/** Summarizes the commits that watch-commits.ts has written. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pair, type Row } from './latency.ts';
import { percentile } from './service.ts';
import type { WatchedCommit } from './watch-commits.ts';

const WATCH = new URL('./watch-commits.ts', import.meta.url);
/** A commit of this many chunks counts as one of about 200: the last one of a batch is often smaller. */
const FULL = 150;
/** The statements that take the most time are shown, each in a line of its own. */
const SHOWN = 8;

/** Returns the environment variables with which a service writes its commits into the folder when it ends. */
export const watchedCommits = (folder: string) => ({
  NODE_OPTIONS: `--import ${WATCH.href}`,
  BENCH_COMMITS: folder,
});

/** Prints how long full commits take, how many statements, round trips and bytes they need, and where the time goes. */
export function showCommits(folder: string, row: Row): void {
  const all = readdirSync(folder).flatMap((name) => readCommits(join(folder, name)));
  const full = all.filter(({ chunks }) => chunks >= FULL);
  const median = (of: (commit: WatchedCommit) => number) => percentile(full.map(of), 0.5);
  const waited = ({ statements }: WatchedCommit) => sum(statements.map(({ ms }) => ms));
  const times = full.map(({ ms }) => ms);
  row('commits with chunks, of them about 200', `${all.length}, ${full.length}`);
  row('chunks in one of these, median', median(({ chunks }) => chunks).toFixed(0));
  row(
    'commit of about 200 chunks, p50 / p95',
    pair(percentile(times, 0.5), percentile(times, 0.95)),
  );
  row('… of it waiting for statements, median', median(waited).toFixed(1));
  row(
    '… statements / round trips',
    pair(
      median(({ statements }) => statements.length),
      median((one) => one.roundTrips),
      0,
    ),
  );
  row(
    '… kilobytes sent',
    median(({ statements }) => sum(statements.map(({ bytes }) => bytes)) / 1000).toFixed(0),
  );
  const kinds = new Map<string, { ms: number; count: number; bytes: number }>();
  for (const { kind, ms, bytes } of full.flatMap(({ statements }) => statements)) {
    const total = kinds.get(kind) ?? { ms: 0, count: 0, bytes: 0 };
    kinds.set(kind, { ms: total.ms + ms, count: total.count + 1, bytes: total.bytes + bytes });
  }
  const slowest = [...kinds].toSorted(([, one], [, other]) => other.ms - one.ms);
  for (const [kind, { ms, count, bytes }] of slowest.slice(0, SHOWN)) {
    const each = (value: number, digits: number) => (value / full.length).toFixed(digits);
    row(`   ${kind}`, `${each(ms, 2)} ms, ${each(count, 1)} times, ${each(bytes / 1000, 1)} kB`);
  }
}

const readCommits = (path: string): WatchedCommit[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => JSON.parse(line));

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
