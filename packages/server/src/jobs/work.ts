/**
 * The worker: claims jobs and runs a few at a time until it is told to stop, then lets those in hand
 * give their work back. A lease is kept by a heartbeat; whoever loses it stops at its next commit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import { notedRefusal, noteRefusal } from '../db/refused-writes.ts';
import type { Db, Schema } from '../db/schema.ts';
import { createRest } from './poller.ts';
import { type ClaimedJob, claim, finish, HEARTBEAT_MS, heartbeat, release } from './queue.ts';

const PARALLEL = 6;
/** Of them at most so many are of a kind that may take hours, while somebody waits for a push. */
const LONG = 4;
const LONG_NAMES = ['sync.run', 'maintenance.task', 'organization.cleanup'] as const;
const POLL_MS = 250;
const BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** Thrown by a handler whose job cannot go on before `at`, by the clock of this process. */
export class PostponeJob extends Error {
  override readonly name = 'PostponeJob';
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** Called before a job that will write much begins. @throws Later while the database takes no writes. */
export async function waitForWrites(tx: Db): Promise<void> {
  const refusal = await notedRefusal(tx);
  if (refusal) throw new PostponeJob(Date.now() + refusal.waitMs, refusal.reason);
}

/** Runs one job. Throws to have it tried again later. */
export type Handler = (job: ClaimedJob, signal: AbortSignal) => Promise<void>;

export interface Worker {
  /** There may be work: look at once. */
  wake(): void;
  /** True while no job runs. */
  isIdle(): boolean;
  /** Claims nothing more, aborts the jobs in hand, and waits until they have stopped. */
  stop(): Promise<void>;
}

export function startWorker(options: {
  db: Kysely<Schema>;
  kind: DatabaseKind;
  handle: Handler;
  log: Logger;
}): Worker {
  const { db, kind, handle, log } = options;
  /** Nothing more is claimed; then what runs is told to stop. */
  let closed = false;
  const draining = new AbortController();
  /** By the id of its job. */
  const running = new Map<string, Promise<void>>();
  let long = 0;
  const { wake, rest } = createRest();

  const loop = (async () => {
    while (!closed) {
      // Whatever ends wakes. A race with promises that live long would leave something in them each time.
      const pause = running.size < PARALLEL ? await claimOne() : POLL_MS;
      if (pause > 0) await rest(pause);
    }
  })();

  /** Gives the milliseconds after which it is worth looking again. */
  async function claimOne(): Promise<number> {
    try {
      const job = await claim(db, kind, {
        leftOut: long < LONG ? [] : LONG_NAMES,
        running: [...running.keys()],
      });
      if (!job) return POLL_MS;
      const isLong = LONG_NAMES.some((name) => name === job.name);
      if (isLong) long++;
      const done = run(job).finally(() => {
        running.delete(job.id);
        if (isLong) long--;
        wake();
      });
      running.set(job.id, done);
      return 0;
    } catch (error) {
      log.error({ err: error }, 'cannot claim a job');
      return BACKOFF_MS;
    }
  }

  async function run(job: ClaimedJob): Promise<void> {
    const lost = new AbortController();
    const beat = setInterval(() => {
      heartbeat(db, kind, job).then(
        (held) => held || lost.abort(),
        (error) => log.warn({ err: error, job: job.id }, 'cannot keep a lease'),
      );
    }, HEARTBEAT_MS);
    try {
      await handle(job, AbortSignal.any([draining.signal, lost.signal]));
      await finish(db, job);
    } catch (error) {
      // Another has taken it, and there is nothing left to give back.
      if (lost.signal.aborted) log.warn({ job: job.id, name: job.name }, 'a lease was lost');
      else await giveBack(job, error);
    } finally {
      clearInterval(beat);
    }
  }

  async function giveBack(job: ClaimedJob, error: unknown): Promise<void> {
    const drained = draining.signal.aborted;
    const about = { job: job.id, name: job.name };
    let wait = () => (drained ? 0 : backoff(job.attempt));
    if (error instanceof PostponeJob) {
      wait = () => error.at - Date.now();
      log.info({ ...about, until: error.at, reason: error.message }, 'a job waits');
    } else if (!drained) {
      const refusal = await noteRefusal(db, log, error);
      if (refusal) wait = () => refusal.waitMs;
      log.error({ ...about, err: error }, refusal?.reason ?? 'a job broke');
    }
    // Never dropped: what a job promised (a cleanup, a push) is owed until it is done.
    while (!(await released(job, wait()))) {
      // Of a process that ends the lease runs out by itself.
      if (closed) return;
      await sleep(BACKOFF_MS, undefined, { signal: draining.signal }).catch(() => {
        // The worker stops: one last try.
      });
    }
  }

  async function released(job: ClaimedJob, wait: number): Promise<boolean> {
    try {
      await release(db, kind, job, wait);
      return true;
    } catch (error) {
      log.error({ err: error, job: job.id }, 'cannot give a job back');
      return false;
    }
  }

  return {
    wake,
    isIdle: () => running.size === 0 && !closed,
    async stop() {
      closed = true;
      wake();
      await loop;
      // Only now: a job that is given back must not be claimed again by this very worker.
      draining.abort();
      await Promise.all(running.values());
    },
  };
}

const backoff = (attempt: number) => Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (attempt - 1));
