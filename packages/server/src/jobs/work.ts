/**
 * The worker claims jobs and runs a few at a time until it is stopped. Then it aborts the running jobs and gives them
 * back to the queue. A heartbeat renews the lease of each job; a job that loses its lease is aborted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import { notedRefusal, noteRefusal } from '../db/refused-writes.ts';
import type { Db, Schema } from '../db/schema.ts';
import { withDeadline } from '../db/short.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { linesOf, type Span, type Tracer } from '../telemetry/trace.ts';
import { createPoller } from './poller.ts';
import {
  type ClaimedJob,
  claim,
  finish,
  HEARTBEAT_MS,
  heartbeat,
  KNOWN_JOBS,
  release,
} from './queue.ts';

const PARALLEL = 6;
const SYNCS = ['sync.run', 'maintenance.task'] as const;
const BACKUPS = ['backup.run', 'backup.check'] as const;
const CLEANUPS = ['connection.cleanup', 'collection.cleanup', 'organization.cleanup'] as const;
/**
 * These limits say how many of the parallel jobs may be of kinds that take hours. So a push finds a place beside all of them, a
 * cleanup beside the syncs, and a sync beside the cleanups, for which nobody waits.
 */
const LIMITS: readonly { readonly names: readonly ClaimedJob['name'][]; readonly most: number }[] =
  [
    { names: [...SYNCS, ...BACKUPS, ...CLEANUPS], most: 5 },
    { names: [...SYNCS, ...BACKUPS], most: 4 },
    { names: CLEANUPS, most: 2 },
  ];
const BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

const OUTCOMES = ['done', 'waits', 'broke', 'lost', 'given_back'] as const;
type JobOutcome = (typeof OUTCOMES)[number];

/** A handler throws this when its job cannot go on within the next `waitMs` milliseconds. */
export class PostponeJob extends Error {
  override readonly name = 'PostponeJob';
  readonly waitMs: number;

  constructor(waitMs: number, reason: string) {
    super(reason);
    this.waitMs = waitMs;
  }
}

/** A job that will write much calls this first. Throws PostponeJob while the database takes no writes. */
export async function waitForWrites(tx: Db): Promise<void> {
  const refusal = await notedRefusal(tx);
  if (refusal) throw new PostponeJob(refusal.waitMs, refusal.reason);
}

/** These are further fields of the line that the log gets when the job is done. */
export type JobReport = Readonly<Record<string, string | number>>;

/** These belong to one attempt of a job. */
export interface JobCall {
  readonly signal: AbortSignal;
  readonly span: Span;
  /** Its lines have the ids of the request and of the trace. */
  readonly log: Logger;
}

/** Runs one job. When it throws, the job is tried again later. */
export type Handler = (job: ClaimedJob, call: JobCall) => Promise<JobReport | undefined>;

export interface Worker {
  /** Makes the worker look for jobs at once. */
  wake(): void;
  /** Returns true while no job runs and the worker has not been stopped. */
  isIdle(): boolean;
  /** Claims no more jobs, aborts the running ones, and waits until they have stopped. */
  stop(): Promise<void>;
}

/** A monitor sees no increase in the first value of a counter, so each counter begins with 0. */
function beginCounts(metrics: Metrics): void {
  for (const job of Object.keys(KNOWN_JOBS))
    for (const outcome of OUTCOMES) metrics.quarry_jobs_total.inc({ job, outcome }, 0);
}

export function startWorker(options: {
  db: Kysely<Schema>;
  kind: DatabaseKind;
  handle: Handler;
  metrics: Metrics;
  tracer: Tracer;
  log: Logger;
  /** The settings of this worker lack what these jobs need, so it leaves them to other workers. */
  left?: readonly ClaimedJob['name'][];
  /** Returns after how many milliseconds the worker looks for jobs again when nobody wakes it. */
  pollMs: () => number;
}): Worker {
  const { db, kind, handle, metrics, tracer, pollMs, left = [] } = options;
  // A statement on a silent connection, or that waits for a lock, must not keep a job, the others or a stop waiting for long.
  const short = withDeadline(db);
  /** Once this is true, the worker claims no more jobs. The running jobs are aborted after that. */
  let closed = false;
  const draining = new AbortController();
  /** The key is the id of the job. */
  const running = new Map<string, { readonly name: ClaimedJob['name']; done: Promise<void> }>();
  const { wake, rest } = createPoller();
  beginCounts(metrics);

  const loop = (async () => {
    while (!closed) {
      // Every job that ends wakes this loop. `Promise.race` with long-lived promises would leak memory in each round.
      const pause = running.size < PARALLEL ? await claimOne() : pollMs();
      if (pause > 0) await rest(pause);
    }
  })();

  /** Claims and starts a job, if one is due. Returns the pause before the next claim, in milliseconds. */
  async function claimOne(): Promise<number> {
    try {
      const limits = {
        excluded: [...left, ...excluded()],
        running: [...running.keys()],
      };
      const job = await claim(short, kind, limits);
      if (!job) return pollMs();
      const done = run(job).finally(() => {
        running.delete(job.id);
        wake();
      });
      running.set(job.id, { name: job.name, done });
      return 0;
    } catch (error) {
      options.log.error({ err: error }, 'cannot claim a job');
      return BACKOFF_MS;
    }
  }

  /** Returns the names of which as many jobs run as may. */
  function excluded(): ClaimedJob['name'][] {
    const names = [...running.values()].map(({ name }) => name);
    const isFull = ({ names: limited, most }: (typeof LIMITS)[number]) =>
      names.filter((name) => limited.includes(name)).length >= most;
    return LIMITS.filter(isFull).flatMap((limit) => limit.names);
  }

  async function run(job: ClaimedJob): Promise<void> {
    const span = tracer.begin(job.name, {
      kind: 'consumer',
      parent: job.cause?.trace ?? null,
      facts: factsOf(job),
    });
    const log = options.log.child(linesOf(job.cause?.requestId, span));
    const lost = new AbortController();
    let isBeating = false;
    const beat = setInterval(() => {
      // A heartbeat waits while a commit of the job locks its entry in the queue. A second heartbeat would wait too, and
      // take another connection to the database.
      if (isBeating) return;
      isBeating = true;
      heartbeat(short, kind, job)
        .then(
          (held) => held || lost.abort(),
          (error) => log.warn({ err: error, job: job.id }, 'cannot keep a lease'),
        )
        .finally(() => {
          isBeating = false;
        });
    }, HEARTBEAT_MS);
    const begun = performance.now();
    const ended = (outcome: JobOutcome) => {
      const ms = performance.now() - begun;
      metrics.quarry_jobs_total.inc({ job: job.name, outcome });
      metrics.quarry_job_duration_seconds.observe({ job: job.name }, ms / 1000);
      span.note({ 'quarry.job.outcome': outcome });
      span.end(outcome === 'broke' || outcome === 'lost' ? outcome : undefined);
      return { ...aboutJob(job), outcome, ms: Math.round(ms) };
    };
    try {
      const signal = AbortSignal.any([draining.signal, lost.signal]);
      const report = await handle(job, { signal, span, log });
      await finish(short, job);
      log.info({ ...ended('done'), ...report }, 'a job is done');
    } catch (error) {
      // Another worker has taken the job, so there is nothing left to give back.
      if (lost.signal.aborted) log.warn(ended('lost'), 'a lease was lost');
      else await giveBack(job, error, { log, ended });
    } finally {
      clearInterval(beat);
    }
  }

  async function giveBack(
    job: ClaimedJob,
    error: unknown,
    { log, ended }: { readonly log: Logger; readonly ended: (outcome: JobOutcome) => object },
  ): Promise<void> {
    const drained = draining.signal.aborted;
    let wait = () => (drained ? 0 : backoff(job.attempt));
    if (error instanceof PostponeJob) {
      wait = () => error.waitMs;
      log.info({ ...ended('waits'), waitMs: error.waitMs, reason: error.message }, 'a job waits');
    } else if (!drained) {
      const refusal = await noteRefusal(short, log, error);
      if (refusal) wait = () => refusal.waitMs;
      log.error({ ...ended('broke'), err: error }, refusal?.reason ?? 'a job broke');
    } else {
      log.info(ended('given_back'), 'a job is given back, because the worker stops');
    }
    // A job is never dropped, because somebody relies on its work, such as a cleanup or a push.
    while (!(await released(job, wait()))) {
      // The process ends, so the lease runs out by itself.
      if (closed) return;
      await sleep(BACKOFF_MS, undefined, { signal: draining.signal }).catch(() => {
        // The worker stops, so the loop tries one last time.
      });
    }
  }

  async function released(job: ClaimedJob, wait: number): Promise<boolean> {
    try {
      await release(short, kind, { job, afterMs: wait });
      return true;
    } catch (error) {
      options.log.error({ err: error, job: job.id }, 'cannot give a job back');
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
      // The signal comes only after the loop has ended, so that this worker does not claim again a job that it gives
      // back.
      draining.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** The data of a job has nothing but ids. */
const factsOf = ({ id, data, attempt }: ClaimedJob) => ({
  'quarry.job.entry': id,
  'quarry.job.attempt': attempt,
  ...Object.fromEntries(
    Object.entries(data).map(([name, value]) => [`quarry.${snake(name)}`, value]),
  ),
});

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The ids in the data name what the job works on. */
const aboutJob = ({ id, name, data, attempt }: ClaimedJob) => ({ job: id, name, ...data, attempt });

const backoff = (attempt: number) => Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (attempt - 1));
