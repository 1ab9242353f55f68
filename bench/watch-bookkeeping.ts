/**
 * This file is loaded into every thread of the service before the thread's own code (`--import`). When a thread ends,
 * it writes the times that it has spent on the bookkeeping of syncs with SQLite into the folder BENCH_BOOKKEEPING, one
 * JSON line per entry.
 *
 * SQLite runs in the calling thread, so the time of a statement is the time of its call. The statements at the
 * beginning of a transaction follow directly one after the other. So each of them is measured from the end of the
 * statement before it, which includes the time for building it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import timers from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

export type Kind = 'leases' | 'counters' | 'checkpoints' | 'begin' | 'commit' | 'pauses';

export interface Entry {
  readonly kind: Kind;
  /** This is the time at which the entry ended, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
}

/**
 * This is the longest pause between two commits. Longer waits belong to other parts of the service and are not
 * measured.
 */
const PAUSE_MS = 3;

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^begin immediate$/, 'begin'],
  [/^commit$/, 'commit'],
  [/^update "jobs" set "lease_until"/, 'leases'],
  [/^select "status" from "sync_jobs"/, 'leases'],
  [/^update "connections" set "generation" = generation/, 'counters'],
  [/^update "sync_jobs" set "entities_inserted"/, 'counters'],
  [
    /^update "(connections" set "cursor|sync_jobs" set "bookmark|left_out_records" set "settled)"/,
    'checkpoints',
  ],
  [/^insert into "job_partitions"/, 'checkpoints'],
];

const entries: Entry[] = [];
/** This is the end of the last statement, if that statement was bookkeeping at the beginning of a transaction. */
let headUntil: number | undefined;

for (const method of ['run', 'all'] as const) {
  const original = StatementSync.prototype[method] as (...parameters: unknown[]) => unknown;
  Object.assign(StatementSync.prototype, {
    [method](this: StatementSync, ...parameters: unknown[]) {
      const { sourceSQL } = this;
      const kind = KINDS.find(([pattern]) => pattern.test(sourceSQL))?.[1];
      const before = performance.now();
      try {
        return original.apply(this, parameters);
      } finally {
        const after = performance.now();
        if (kind) charge(kind, after - (kind === 'commit' ? before : (headUntil ?? before)));
        headUntil = kind && kind !== 'leases' && kind !== 'commit' ? after : undefined;
      }
    },
  });
}

const sleep = timers.setTimeout;
timers.setTimeout = async (ms, ...rest) => {
  const before = performance.now();
  const value = await sleep(ms, ...rest);
  if (ms !== undefined && ms <= PAUSE_MS) charge('pauses', performance.now() - before);
  return value;
};
syncBuiltinESMExports();

function charge(kind: Kind, ms: number): void {
  entries.push({ kind, at: Date.now(), ms });
}

process.on('exit', () => {
  const folder = process.env.BENCH_BOOKKEEPING;
  if (!folder || entries.length === 0) return;
  mkdirSync(folder, { recursive: true });
  const lines = entries.map((entry) => JSON.stringify(entry));
  writeFileSync(join(folder, `${threadId}.jsonl`), lines.join('\n'));
});
