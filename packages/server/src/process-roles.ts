/**
 * This file starts what a process does besides serving the API: the worker role, and searches.
 *
 * With threads (the default) they run in threads of their own, so that the API's event loop is never blocked by a
 * long statement. Without threads everything runs in this thread, on a database that the caller may provide; programs
 * that embed Quarry do this unless they ask for threads, and the tests.
 */
import type { Logger } from 'pino';
import { type Config, transformerRuntimeOf } from './config.ts';
import { createExamine } from './doctor/examine.ts';
import {
  chooseLlm,
  chooseReranker,
  chooseTranscriber,
  type OpenDatabase,
} from './engines/choose.ts';
import type { loadModel } from './engines/embedder/model-file.ts';
import { createWords } from './engines/embedder/words.ts';
import type { Embedder, SearchIndex } from './engines/ports.ts';
import { createGrep } from './entities/contents/grep.ts';
import type { ServedCertificate } from './http/certificate.ts';
import { giveBackAll } from './jobs/queue.ts';
import { BUILTIN } from './model-settings.ts';
import { ocrSettingsOf } from './ocr-settings.ts';
import type { RateLimiter } from './rate-limits/limiter.ts';
import { createChunkCache } from './search/chunk-cache.ts';
import { createFederated } from './search/federated/ask.ts';
import { createModelCache } from './search/llm/model-cache.ts';
import { createWeightsFor } from './search/own-weights.ts';
import type { SearchDeps } from './search/service.ts';
import type { Vault } from './secrets.ts';
import type { TokenKeeper } from './sign-in/keeper.ts';
import { type Source, type SourceEnvironment, syncMode } from './sources/define.ts';
import { removeLeftovers } from './sources/downloads.ts';
import { createPushIntake, type StorePush } from './syncs/pushes/intake.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Problems } from './telemetry/problems.ts';
import type { ThreadMetrics } from './telemetry/thread-metrics.ts';
import type { Tracer } from './telemetry/trace.ts';
import { followedSearching } from './threads/follow-search.ts';
import { measuredSearching, measuredStages, showIndexMemory } from './threads/measure-search.ts';
import { startPushThread } from './threads/push-client.ts';
import { startSearchThreads } from './threads/search-threads.ts';
import { storeCopies } from './threads/store-copies.ts';
import { type Supervision, superviseThread } from './threads/supervise.ts';
import { runAll } from './util.ts';
import { takeOverDeliveries } from './webhooks/deliver/queue-store.ts';
import { runWorker } from './worker.ts';

/** A process runs these steps in reverse order when it ends. */
export type Closing = (() => Promise<void> | void)[];

/** Runs each step, also after one that fails, and throws the first error at the end. The log gets all errors. */
export const closeAll = (closing: Closing, log: Logger): Promise<void> =>
  runAll(closing.splice(0).reverse(), (err) => log.error({ err }, 'a part could not be closed'));

/** The value false runs everything in one thread. With 'one log', the threads write into the log of the process. */
export type ProcessThreads = boolean | 'one log';

export interface ProcessParts extends OpenDatabase {
  readonly config: Config;
  readonly log: Logger;
  /** The function is called when the process cannot go on. */
  readonly onFatal: (error: Error) => void;
  /** It is null when the API speaks plain HTTP, and in a process without it. */
  readonly certificate: ServedCertificate | null;
  /** The key with which the vault seals is derived from this secret. */
  readonly secret: string;
  readonly vault: Vault;
  readonly model: ReturnType<typeof loadModel>;
  readonly embedder: Embedder;
  readonly index: SearchIndex;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly keeper: TokenKeeper;
  readonly rateLimiter: RateLimiter;
  readonly metrics: Metrics;
  readonly threadMetrics: ThreadMetrics;
  readonly problems: Problems;
  readonly tracer: Tracer;
  readonly threads: ProcessThreads;
  readonly closing: Closing;
}

/** The roles give the API these functions; `wake` tells the worker that there is work. */
export type ProcessRoles = {
  readonly wake: () => void;
  readonly storePush: StorePush;
} & Awaited<ReturnType<typeof startSearchRole>>;

/** Returns the function that wakes the worker. It does nothing in a process without one. */
export async function startWorkerRole(parts: ProcessParts): Promise<() => void> {
  const { config, db, kind, closing } = parts;
  if (!config.QUARRY_ROLES.includes('worker')) return () => {};
  if (!parts.threads) {
    await removeLeftovers(parts.environment.downloadsFolder);
    const worker = await runWorker({
      ...parts,
      url: config.DATABASE_DIRECT_URL ?? parts.url,
      transformerRuntime: transformerRuntimeOf(config),
      ocr: ocrSettingsOf(config),
      recordings: chooseTranscriber(config, parts.metrics),
      isWatching: config.QUARRY_WATCH,
      allowLoopback: config.QUARRY_ALLOW_LOOPBACK,
      historyDays: config.QUARRY_HISTORY_DAYS,
      backups: config.backups,
    });
    closing.push(() => worker.stop());
    return () => worker.wake();
  }
  const onDeath = async () => {
    if (kind !== 'sqlite') return;
    await giveBackAll(db, kind);
    await takeOverDeliveries(db);
  };
  const thread = superviseThread({ ...supervision(parts), entry: 'worker-thread', onDeath });
  closing.push(() => thread.stop());
  return () => {
    thread.send('wake');
  };
}

/** Returns the function that stores pushes. */
export function startPushRole(parts: ProcessParts): StorePush {
  const { db, kind, closing } = parts;
  if (!parts.threads) return createPushIntake(db, kind);
  const thread = startPushThread(supervision(parts));
  closing.push(() => thread.stop());
  return thread.store;
}

export async function startSearchRole(parts: ProcessParts) {
  const { config, db, kind, index, embedder, vault, log, metrics, closing } = parts;
  if (parts.threads) {
    const maxThreads = config.QUARRY_SEARCH_THREADS;
    const placesPerThread = searchPlacesOf(config);
    const threads = startSearchThreads({ ...supervision(parts), maxThreads, placesPerThread });
    closing.push(() => threads.stop());
    return threads;
  }
  showIndexMemory(metrics, index, config.QUARRY_INDEX_MEMORY_MB);
  const stop = new AbortController();
  const storing = storeCopies(parts, { signal: stop.signal, readsCollections: false });
  closing.push(async () => {
    stop.abort();
    await storing;
  });
  const searching: SearchDeps = {
    db,
    index,
    embedder,
    words: createWords(parts.model),
    llm: await chooseLlm(config, log, metrics),
    reranker: chooseReranker(config, metrics),
    kept: createModelCache(),
    chunks: createChunkCache(),
    weightsFor: createWeightsFor(log),
    federated: createFederated(parts),
  };
  const measured = measuredStages(searching, metrics);
  const inThisThread = followedSearching(
    {
      deps: measured,
      examine: createExamine({ db, kind, index, embedder }),
      grep: createGrep({ db, kind, vault }),
    },
    parts,
  );
  return {
    ...measuredSearching(inThisThread, metrics),
    places: () => searchPlacesOf(config),
  };
}

/**
 * Returns how many searches run at once in one thread. They share its processor, so more of them would only take longer
 * each; searches that wait for a model leave the processor to others meanwhile.
 */
function searchPlacesOf({ QUARRY_LLM, QUARRY_EMBEDDER, QUARRY_RERANKER }: Config): number {
  const asksModels =
    QUARRY_LLM.length > 0 || [QUARRY_EMBEDDER, QUARRY_RERANKER].some((name) => name !== BUILTIN);
  return asksModels ? 48 : 12;
}

/** Returns what each thread starts with, and the function that is called when a thread cannot be kept alive. */
function supervision(parts: ProcessParts): Supervision {
  const { config, secret, model, sources, log, onFatal, metrics, threadMetrics } = parts;
  const federated = [...sources.values()]
    .filter((source) => syncMode(source) === 'federated')
    .map(({ shortName }) => shortName);
  const ownLog = process.stderr.isTTY ? 'terminal' : 'lines';
  const logTo = parts.threads === 'one log' ? 'parent' : ownLog;
  const data = { config, secret, model, federated, logTo } as const;
  return { data, log, metrics, threadMetrics, onGivenUp: onFatal };
}
