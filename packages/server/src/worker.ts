/**
 * The worker role runs syncs, schedules, webhooks and clean-up. It shares only the database with the API, so it
 * runs the same in a thread of this process and in a process of its own.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { BackupPlan } from './backup-settings.ts';
import { checkStored, runBackup } from './backups/run.ts';
import { orderDue } from './backups/schedule.ts';
import { bringForward, startDue } from './connections/due.ts';
import { createWatcher, watchNothing } from './connections/watch/watcher.ts';
import { databaseTime } from './db/clock.ts';
import type { DatabaseKind } from './db/connect.ts';
import { listenForWork, type WorkListener } from './db/listen.ts';
import { createTrial, noteRefusal, watchRefusal } from './db/refused-writes.ts';
import type { Schema } from './db/schema.ts';
import { runTask } from './doctor/work.ts';
import { createExtractor } from './documents/extract.ts';
import { type DocumentKind, KINDS } from './documents/kinds/table.ts';
import { findOcr, type OcrSettings } from './documents/ocr/setup.ts';
import { GONE_KEPT_MS } from './engines/index/rows.ts';
import type { Embedder, SearchIndex } from './engines/ports.ts';
import { trim } from './events/store.ts';
import type { ClaimedJob } from './jobs/queue.ts';
import { type JobCall, type JobReport, startWorker, type Worker } from './jobs/work.ts';
import type { Transcribe } from './model/transcript.ts';
import { cleanOrganization } from './organizations/cleanup.ts';
import type { RateLimiter } from './rate-limits/limiter.ts';
import type { Vault } from './secrets.ts';
import type { SignInDeps } from './sign-in/open-source.ts';
import type { Source, SourceEnvironment } from './sources/define.ts';
import { cleanCollection, cleanConnection } from './syncs/housekeeping/cleanup.ts';
import { createJanitor } from './syncs/housekeeping/janitor.ts';
import type { SyncClaim } from './syncs/jobs/job-store.ts';
import { indexedCollections } from './syncs/jobs/list-store.ts';
import type { ChunkThreads } from './syncs/pipeline/chunks.ts';
import { runSyncJob } from './syncs/pipeline/run.ts';
import { createUpkeep } from './syncs/pipeline/upkeep.ts';
import { createSyncs } from './syncs/service.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracer } from './telemetry/trace.ts';
import type { TransformerRuntime } from './transformers/open.ts';
import { must } from './util.ts';
import { cleanSubscription } from './webhooks/cleanup.ts';
import { startDeliveries } from './webhooks/deliver/deliver.ts';
import { recover } from './webhooks/recover.ts';
import { trimWebhooks } from './webhooks/retention-store.ts';

/** Runs that are later than their schedule says are looked for after this time. */
const CORRECT_EVERY_MS = 3_600_000;
/** A backup that is due by schedule is looked for after this time. */
const BACKUPS_EVERY_MS = 30_000;
/** The worker looks for work that it has not been told of after this time. */
const POLL_MS = 250;
/** While other processes tell the worker of new work, only waits that end and leases that run out are found by polling. */
const LISTENING_POLL_MS = 1000;
/** Once in this time the worker starts due syncs, tidies up, and tries a write while the database refuses writes. */
const TICK_MS = 1000;
/** After a failure a routine pauses for this long, so that a database that is away or full does not fill the log. */
const FAILED_MS = 5000;

export interface WorkerDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /**
   * The worker listens for new work at this address of a PostgreSQL, which must not be that of a pooler of transactions.
   * When it is missing or null, the worker only polls.
   */
  readonly url?: string | null;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly chunkThreads?: ChunkThreads;
  readonly vault: Vault;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly keeper: SignInDeps['keeper'];
  readonly rateLimiter: RateLimiter;
  /** It is true when folders are watched. */
  readonly isWatching: boolean;
  /** It is true when webhooks may go to this machine. */
  readonly allowLoopback: boolean;
  readonly historyDays: number;
  /** When this is missing, backups are left to other workers. */
  readonly backups?: BackupPlan | null;
  readonly transformerRuntime: TransformerRuntime;
  /** When this is missing, no text in pictures is recognized. */
  readonly ocr?: OcrSettings | null;
  /** When this is missing, recordings are left out. */
  readonly recordings?: RecordingSettings | null;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly log: Logger;
}

export async function runWorker(deps: WorkerDeps): Promise<Pick<Worker, 'wake' | 'stop'>> {
  const { db, log } = deps;
  const readers = await findReaders(deps);
  const extractor = createExtractor(readers);
  const environment = { ...deps.environment, optional: readers.optional };
  const upkeep = createUpkeep(deps, await indexedCollections(db));
  const janitor = createJanitor({ ...deps, goneKeptMs: GONE_KEPT_MS });
  const syncs = createSyncs({ db, wake: () => worker.wake(), whyRefused: watchRefusal(db) });
  const watcher = deps.isWatching ? createWatcher({ ...deps, syncs }) : watchNothing(deps);
  const { beforePull, afterPull } = watcher;
  const shared = { ...deps, environment, extractor, upkeep, beforePull, afterPull };

  async function handle(job: ClaimedJob, call: JobCall): Promise<JobReport | undefined> {
    if (job.name === 'sync.run' || job.name === 'sync.push') {
      const report = await runSyncJob({ ...shared, ...call }, job, call.signal);
      return report && { ...report };
    }
    await handleOther(job, call);
    return undefined;
  }

  async function handleOther(job: Exclude<ClaimedJob, SyncClaim>, call: JobCall): Promise<void> {
    const { signal } = call;
    const running = { ...shared, ...call };
    switch (job.name) {
      case 'connection.cleanup':
        return cleanConnection(running, job.data, signal);
      case 'collection.cleanup':
        return cleanCollection(running, job.data.collectionId, signal);
      case 'organization.cleanup': {
        const clean = (id: string) => cleanCollection(running, id, signal);
        return cleanOrganization({ db, cleanCollection: clean }, job.data.organizationId, signal);
      }
      case 'maintenance.task':
        return runTask(running, job, signal);
      case 'webhook.recover':
        await recover(deps, job.data.recoveryId, signal);
        return deliveries.wake();
      case 'webhook.cleanup':
        return cleanSubscription(db, job.data.subscriptionId, signal);
      case 'backup.run':
        return runBackup({ ...running, plan: must(deps.backups) }, job);
      case 'backup.check':
        return checkStored({ ...running, plan: must(deps.backups) }, job);
    }
  }

  const listener = listenerOf(deps, () => {
    worker.wake();
    deliveries.wake();
  });
  const pollMs = () => (listener?.isListening() ? LISTENING_POLL_MS : POLL_MS);
  const deliveries = startDeliveries({
    ...deps,
    pollMs,
    send: deps.environment.send,
    clock: async () => (await databaseTime(db, deps.kind)).getTime(),
  });
  log.info({ sources: deps.sources.size }, 'the worker looks for jobs');
  const left = deps.backups ? [] : (['backup.run', 'backup.check'] as const);
  const worker = startWorker({ ...deps, handle, pollMs, left });
  const trial = createTrial(db);
  let correctAt = 0;
  let backUpAt = 0;
  const routines = [
    startSyncs,
    correctSchedules,
    startBackups,
    watcher.tick,
    tidyUp,
    tryWriting,
  ].map(routineOf);
  const clock = setInterval(() => {
    for (const routine of routines) routine.begin();
  }, TICK_MS);

  async function startSyncs(): Promise<void> {
    if ((await startDue({ ...deps, syncs }, await databaseTime(db, deps.kind))) > 0) worker.wake();
  }

  async function correctSchedules(): Promise<void> {
    if (performance.now() < correctAt) return;
    await bringForward(deps, await databaseTime(db, deps.kind));
    correctAt = performance.now() + CORRECT_EVERY_MS;
  }

  async function startBackups(): Promise<void> {
    if (!deps.backups || performance.now() < backUpAt) return;
    const now = (await databaseTime(db, deps.kind)).getTime();
    if (await orderDue(db, deps.backups, now)) worker.wake();
    backUpAt = performance.now() + BACKUPS_EVERY_MS;
  }

  async function tryWriting(): Promise<void> {
    if (!(await trial())) return;
    log.info('the database takes writes again');
    worker.wake();
  }

  /** Runs beside `startSyncs`, so that due syncs do not wait for it. */
  async function tidyUp(): Promise<void> {
    const now = (await databaseTime(db, deps.kind)).getTime();
    await trim(db, now);
    await trimWebhooks(db, now);
    await upkeep.tidy(() => worker.isIdle());
    await janitor.work(() => worker.isIdle());
  }

  function routineOf(act: () => Promise<void>) {
    let running: Promise<void> | undefined;
    let restUntil = Number.NEGATIVE_INFINITY;
    return {
      begin() {
        if (performance.now() < restUntil) return;
        running ??= act()
          .catch(async (error) => {
            log.error({ err: error }, 'a periodic task of the worker failed');
            await noteRefusal(db, log, error);
            restUntil = performance.now() + FAILED_MS;
          })
          .finally(() => {
            running = undefined;
          });
      },
      ended: () => running,
    };
  }

  return {
    wake() {
      worker.wake();
      deliveries.wake();
    },
    async stop() {
      clearInterval(clock);
      await Promise.all([listener?.stop(), worker.stop(), deliveries.stop()]);
      for (const routine of routines) await routine.ended();
      await watcher.stop();
      await extractor.close();
    },
  };
}

/** Returns undefined for an embedded database, which has no other processes. */
const listenerOf = (
  { kind, url, log }: WorkerDeps,
  onWork: () => void,
): WorkListener | undefined =>
  kind === 'postgres' && url ? listenForWork({ url, onWork, log }) : undefined;

interface RecordingSettings {
  readonly transcribe: Transcribe;
  readonly largestMb: number;
}

/** Finds what this installation has to read the optional kinds of files. */
async function findReaders({ ocr, recordings, log }: WorkerDeps) {
  const found = ocr ? await findOcr(ocr) : undefined;
  if (found?.missing)
    log.warn(`no text in pictures is recognized, because a language is missing: ${found.missing}`);
  const setup = found?.setup ?? undefined;
  if (setup) log.info('the text in pictures and scanned pages is recognized');
  const optional = new Map<DocumentKind, number>();
  if (setup) optional.set('image', KINDS.image.largestMb);
  if (recordings) optional.set('recording', recordings.largestMb);
  return { ocr: setup, transcribe: recordings?.transcribe, optional };
}
