/**
 * The worker role: syncs, schedules and clean-up. It shares nothing with the API but the database, so
 * it runs the same in a thread of this process and in a process of its own.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { startDue } from './connections/due.ts';
import type { DatabaseKind } from './db/connect.ts';
import type { Schema } from './db/schema.ts';
import { createExtractor } from './documents/extract.ts';
import type { Embedder, SearchIndex } from './engines/ports.ts';
import type { Claimed } from './jobs/queue.ts';
import { startWorker, type Worker } from './jobs/work.ts';
import type { Vault } from './secrets.ts';
import type { Source, Surroundings } from './sources/define.ts';
import { cleanCollection, cleanConnection } from './syncs/cleanup.ts';
import { runSyncJob } from './syncs/run.ts';
import { createSyncs } from './syncs/service.ts';

const LOOK_FOR_DUE_MS = 1000;

export interface WorkerDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly vault: Vault;
  readonly sources: ReadonlyMap<string, Source>;
  readonly surroundings: Surroundings;
  readonly log: Logger;
}

export function runWorker(deps: WorkerDeps): Worker {
  const { db, log } = deps;
  const extractor = createExtractor();
  const running = { ...deps, extractor };

  async function handle(job: Claimed, signal: AbortSignal): Promise<void> {
    switch (job.name) {
      case 'sync.run':
        return runSyncJob(running, job.data.jobId, job.leaseToken, signal);
      case 'connection.cleanup':
        return cleanConnection(deps, job.data, signal);
      case 'collection.cleanup':
        return cleanCollection(deps, job.data.collectionId, signal);
    }
  }

  const worker = startWorker({ db, kind: deps.kind, handle, log });
  const syncs = createSyncs({ db, wake: () => worker.wake() });
  let looking: Promise<void> = Promise.resolve();
  const clock = setInterval(() => {
    looking = looking.then(async () => {
      if ((await startDue({ db, syncs }, new Date())) > 0) worker.wake();
    });
    looking = looking.catch((error) => log.error({ err: error }, 'cannot start what is due'));
  }, LOOK_FOR_DUE_MS);

  return {
    wake: () => worker.wake(),
    async stop() {
      clearInterval(clock);
      await looking;
      await worker.stop();
      await extractor.close();
    },
  };
}
