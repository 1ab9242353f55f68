/**
 * Keeps the history within its bounds, in the background and in steps that nobody feels.
 *
 * Of each connection the newest 1,000 ended jobs stay, as long as they are not older than the setting
 * says; what ended within the last hour stays in any case, for whoever pushed it looks for it. Needed
 * jobs are never removed (janitor-store.ts). A pass runs at the start and then once an hour: as long as
 * nothing else is to do, and one step each time it is asked while there is, so that a worker that never
 * rests still keeps up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { databaseTime } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import * as store from './janitor-store.ts';

const JOBS_KEPT = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Between two steps others may write. */
const PAUSE_MS = 3;

export interface JanitorDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly historyDays: number;
  /** How long a reader of the search index may ask for the numbers of what is gone. */
  readonly goneKeptMs: number;
}

export interface Janitor {
  /** Takes a step if a pass is due or under way, and goes on until its end or until `mayGoOn` says no. */
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
        // One that breaks off has ended, which the next call finds, and the next pass finds what it left.
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
  yield* removeOld(db, now - historyDays * DAY_MS);
  yield* removeExcess(db, now - HOUR_MS);
  while (await store.removeOrphanedPushes(db)) yield;
  while (await store.removeOrphanedParts(db)) yield;
  while (await store.forgetGone(db, now - goneKeptMs)) yield;
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
      // What is left is needed, or young.
      if (removed === 0) break;
      excess -= removed;
    }
  }
}

/** Gives how many jobs went. */
async function* remove(db: Kysely<Schema>, ids: readonly string[]): AsyncGenerator<void, number> {
  const unneeded = await store.unneeded(db, ids);
  yield;
  yield* store.removeJobs(db, unneeded);
  return unneeded.length;
}
