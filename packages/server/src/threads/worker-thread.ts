/** This is the entry of the worker thread. It runs the worker on a database connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { transformerRuntimeOf } from '../config.ts';
import { databaseUrl, directDatabaseUrl } from '../db/address.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { chooseEmbedder, chooseIndex, chooseTranscriber } from '../engines/choose.ts';
import { ocrSettingsOf } from '../ocr-settings.ts';
import { createRateLimiter } from '../rate-limits/limiter.ts';
import { measuredLimiter } from '../rate-limits/measure.ts';
import { createVault } from '../secrets.ts';
import { createTokenKeeper } from '../sign-in/keeper.ts';
import { catalog } from '../sources/catalog.ts';
import { removeLeftovers } from '../sources/downloads.ts';
import { applySourcesFile } from '../sources/operator.ts';
import { createSourceEnvironment } from '../sources/source-environment.ts';
import { measureEventLoop } from '../telemetry/event-loop.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { openTracer } from '../telemetry/open-tracer.ts';
import { collectThreads, reportMetrics } from '../telemetry/thread-metrics.ts';
import { poolSizes } from '../thread-settings.ts';
import { must, runAll } from '../util.ts';
import { runWorker } from '../worker.ts';
import { startChunkThreads } from './chunk-threads.ts';
import { lowerPriority } from './priority.ts';
import type { ThreadData } from './protocol.ts';
import { createThreadLog } from './thread-log.ts';

/**
 * Requests come first. The steps are few, because requests that write wait while the worker commits, and because other
 * programs of the machine would otherwise come first, too.
 */
const WORKER_STEPS = 2;
const data = workerData as ThreadData;
const { config, secret, model } = data;
const port = must(parentPort, 'this file is the entry of a thread');
const url = databaseUrl(config);
// No caller waits for the worker, so it may wait long for the lock to write.
const lockWaitMs = 60_000;
const db = connect(url, { lockWaitMs, poolSize: poolSizes(config).worker });
const metrics = createMetrics();
const embedder = chooseEmbedder(config, model, metrics);
const kind = databaseKind(url);
const index = chooseIndex(config, { kind }, embedder);
const environment = createSourceEnvironment(config);
const vault = createVault(secret, config.QUARRY_OTHER_ENCRYPTION_KEY);
const log = createThreadLog(data, port);
lowerPriority(WORKER_STEPS, log);
const isMeasured = config.QUARRY_METRICS_PORT !== undefined;
if (isMeasured) measureEventLoop(metrics, 'worker');
const threadMetrics = collectThreads(metrics);
const reporting = reportMetrics(data.metricsPort, metrics, { log, within: threadMetrics });
const tracer = await openTracer(config.traces, { metrics, log });
const keeper = createTokenKeeper({ db, kind: databaseKind(url), vault, log });
const sources = applySourcesFile(catalog, config.sourcesFile);
const rateLimiter = measuredLimiter(
  createRateLimiter({ db, kind, url, sources, lockWaitMs }),
  metrics,
);
const chunkThreads = startChunkThreads({
  data: { model, logLevel: config.QUARRY_LOG_LEVEL, isMeasured },
  metrics,
  threadMetrics,
  count: config.QUARRY_SYNC_THREADS,
  embedder,
  log,
});
await removeLeftovers(environment.downloadsFolder);
const worker = await runWorker({
  db,
  kind,
  url: directDatabaseUrl(config),
  index,
  embedder,
  chunkThreads,
  vault,
  sources,
  environment,
  keeper,
  rateLimiter,
  isWatching: config.QUARRY_WATCH,
  allowLoopback: config.QUARRY_ALLOW_LOOPBACK,
  historyDays: config.QUARRY_HISTORY_DAYS,
  backups: config.backups,
  transformerRuntime: transformerRuntimeOf(config),
  ocr: ocrSettingsOf(config),
  recordings: chooseTranscriber(config, metrics),
  metrics,
  tracer,
  log,
});

port.on('message', async (message: 'wake' | 'stop') => {
  if (message === 'wake') return worker.wake();
  const steps = [
    () => worker.stop(),
    () => chunkThreads.stop(),
    () => keeper.settled(),
    () => rateLimiter.close(),
    () => tracer.close(),
    () => reporting.flush(),
    () => db.destroy(),
  ];
  try {
    await runAll(steps, (err) => log.error({ err }, 'a part of the worker could not be closed'));
  } finally {
    port.close();
  }
});
