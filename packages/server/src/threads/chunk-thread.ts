/** This is the entry of a thread that makes chunks with the built-in model, for the worker thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBuiltinEmbedder } from '../engines/embedder/builtin.ts';
import { makeChunks } from '../syncs/pipeline/chunks.ts';
import { measureEventLoop } from '../telemetry/event-loop.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { reportMetrics } from '../telemetry/thread-metrics.ts';
import { must } from '../util.ts';
import { type ChunkCall, type ChunkReply, type ChunkThreadData, packed } from './chunk-messages.ts';
import { lowerPriority } from './priority.ts';
import { createParentLog } from './thread-log.ts';

/** The thread has begun with the priority of the worker thread, whose commits come before it. */
const STEPS = 2;
const { model, logLevel, isMeasured, metricsPort } = workerData as ChunkThreadData;
const port = must(parentPort, 'this file is the entry of a thread');
const embedder = createBuiltinEmbedder({ model });
const { signal } = new AbortController();
const log = createParentLog(logLevel, port);
lowerPriority(STEPS, log);
const metrics = createMetrics();
if (isMeasured) measureEventLoop(metrics, 'chunks');
reportMetrics(metricsPort, metrics, { log });

port.on('message', async ({ id, entities }: ChunkCall) => {
  const reply: ChunkReply = await makeChunks(entities, { embedder, signal }).then(
    (chunks) => ({ id, chunks: packed(chunks) }),
    (error: unknown) => ({ id, error }),
  );
  port.postMessage(reply);
});
