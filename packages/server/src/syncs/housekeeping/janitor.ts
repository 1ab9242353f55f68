/**
 * Keeps the history within its bounds, in the background and in steps that do not disturb other work.
 *
 * The newest 1,000 ended jobs of each connection stay, unless they are older than QUARRY_HISTORY_DAYS. Jobs that ended
 * within the last hour stay in any case, because the caller that pushed may still ask for its job. Needed jobs are
 * never removed (janitor-store.ts). A pass runs at the start and then once an hour. While the worker is idle, the pass
 * goes on step by step. While there is other work, it takes only one step at each call, so that the history stays
 * within its bounds even on a worker that is never idle.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { forgetEnded } from '../../accounts/removal-store.ts';
import { forgetActs } from '../../audit/store.ts';
import { databaseTime } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { forgetAdmissions } from '../../rate-limits/removal-store.ts';
import { forgetUsage, noteRecords } from '../../usage/store.ts';
import { forgetPushKeys, PUSH_KEY_KEPT_MS } from '../jobs/push-key-store.ts';
import { forgetOldRefusals, REFUSAL_KEPT_MS } from '../jobs/refusal-store.ts';
import * as store from './janitor-store.ts';

const JOBS_KEPT = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A limit on requests to a source counts over this time at most. */
const LONGEST_WINDOW_MS = DAY_MS;
/** Other writers get their turn between two steps. */
const PAUSE_MS = 3;

export interface JanitorDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly historyDays: number;
  /** The numbers of deleted chunks (table `gone`) are kept for this long, for readers of the search index. */
  readonly goneKeptMs: number;
}

export interface Janitor {
  /** Takes a step if a pass is due or running, and goes on until the pass ends or `mayGoOn` returns false. */
  work(mayGoOn: () => boolean): Promise<void>;
}

export function createJanitor(deps: JanitorDeps): Janitor {
  let pass: AsyncGenerator<void> | undefined;
  let restUntil = 0;
  return {
    async work(mayGoOn) {
      if (!pass && performance.now() < restUntil) return;
      pass ??= onePass(deps);
      do {
        // A pass that throws has ended. The next call notices that, and the next pass removes what this one left.
        const { done } = await pass.next();
        if (done) return rest();
        await sleep(PAUSE_MS);
      } while (mayGoOn());
    },
  };

  function rest(): void {
    pass = undefined;
    restUntil = performance.now() + HOUR_MS;
  }
}

/** Yields after each transaction. */
async function* onePass({ db, kind, historyDays, goneKeptMs }: JanitorDeps): AsyncGenerator<void> {
  const now = (await databaseTime(db, kind)).getTime();
  // A job stays while a caller may push again with its key.
  while (await forgetPushKeys(db, now - PUSH_KEY_KEPT_MS)) yield;
  yield* removeOld(db, now - historyDays * DAY_MS);
  yield* removeExcess(db, now - HOUR_MS);
  while (await forgetOldRefusals(db, now - REFUSAL_KEPT_MS)) yield;
  while (await store.removeOrphanedPushes(db)) yield;
  while (await store.removeOrphanedPartitions(db)) yield;
  while (await store.forgetGone(db, now - goneKeptMs)) yield;
  yield* forgetAdmissions(db, now - LONGEST_WINDOW_MS);
  yield* forgetEnded(db, now);
  yield* forgetActs(db, now);
  yield;
  await noteRecords(db, kind);
  yield;
  await forgetUsage(db, kind);
}

async function* removeOld(db: Kysely<Schema>, before: number): AsyncGenerator<void> {
  let last: store.EndedJob | undefined;
  for (;;) {
    const jobs = await store.endedBefore(db, before, last);
    last = jobs.at(-1);
    if (!last) return;
    yield* remove(
      db,
      jobs.map(({ id }) => id),
    );
  }
}

async function* removeExcess(db: Kysely<Schema>, before: number): AsyncGenerator<void> {
  let after = '';
  for (;;) {
    const overfull = await store.nextOverfull(db, JOBS_KEPT, after);
    if (!overfull) return;
    after = overfull.connectionId;
    for (let excess = overfull.excess; excess > 0; ) {
      const ids = await store.firstEnded(db, after, { before, limit: excess });
      const removed = yield* remove(db, ids);
      // The remaining jobs are needed, or ended less than an hour ago.
      if (removed === 0) break;
      excess -= removed;
    }
  }
}

/** Returns how many jobs it removed. */
async function* remove(db: Kysely<Schema>, ids: readonly string[]): AsyncGenerator<void, number> {
  const unneeded = await store.unneeded(db, ids);
  yield;
  yield* store.removeJobs(db, unneeded);
  return unneeded.length;
}
