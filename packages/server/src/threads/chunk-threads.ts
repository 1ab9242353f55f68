/**
 * Splits, stems and embeds the texts of syncs in further threads, beside the worker thread, because this is more than half
 * of the work of a sync. The threads start when there is work for them, and end when they have had none for a while.
 *
 * When a thread dies or cannot be started, the worker thread makes the chunks of which it was asked. After MOST_DEATHS
 * without a rest between them, no thread is started again.
 */
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Embedder } from '../engines/ports.ts';
import { moduleFile } from '../installation.ts';
import {
  type ChunkInput,
  type ChunkThreads,
  type MadeChunks,
  makeChunks,
} from '../syncs/pipeline/chunks.ts';
import { untilAborted } from '../util.ts';
import {
  type ChunkCall,
  type ChunkReply,
  type ChunkThreadData,
  unpacked,
} from './chunk-messages.ts';
import { type Supervision, YOUNG_GENERATION } from './supervise.ts';
import { passLineOn } from './thread-log.ts';

const IDLE_MS = 10_000;
const MOST_DEATHS = 3;
/** Deaths so long ago are forgotten. */
const HEALTHY_MS = 600_000;

export interface ChunkThreadsOptions {
  readonly data: Omit<ChunkThreadData, 'metricsPort'>;
  readonly metrics: Supervision['metrics'];
  readonly threadMetrics: Supervision['threadMetrics'];
  readonly count: number;
  readonly embedder: Embedder;
  readonly log: Logger;
  readonly idleMs?: number;
}

interface ChunkThread {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<MadeChunks>>;
  idleSince: number;
}

export function startChunkThreads(options: ChunkThreadsOptions): ChunkThreads & {
  stop(): Promise<void>;
} {
  const { data, count, embedder, log, metrics, threadMetrics, idleMs = IDLE_MS } = options;
  const threads = new Set<ChunkThread>();
  let calls = 0;
  let deaths = 0;
  let diedAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  const timer = setInterval(endIdle, idleMs).unref();

  /** Returns undefined when the system refuses a thread. */
  function start(): ChunkThread | undefined {
    const metricsPort = threadMetrics.open('chunks');
    try {
      return watched(
        new Worker(moduleFile('threads/chunk-thread'), {
          workerData: { ...data, metricsPort } satisfies ChunkThreadData,
          transferList: [metricsPort],
          resourceLimits: YOUNG_GENERATION,
        }),
      );
    } catch (error) {
      metricsPort.close();
      noteDeath(error);
      return undefined;
    }
  }

  function watched(worker: Worker): ChunkThread {
    const thread: ChunkThread = { worker, waiting: new Map(), idleSince: performance.now() };
    let cause: unknown = new Error('the thread ended');
    worker.on('message', (message: ChunkReply) => {
      if (!passLineOn(message, log)) settle(thread, message);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      if (!threads.delete(thread)) return;
      noteDeath(cause);
      for (const { reject } of thread.waiting.values()) reject(new ThreadDied({ cause }));
    });
    threads.add(thread);
    return thread;
  }

  function noteDeath(cause: unknown): void {
    deaths = mayStart() && performance.now() - diedAt > HEALTHY_MS ? 1 : deaths + 1;
    diedAt = performance.now();
    metrics.quarry_thread_deaths_total.inc({ thread: 'chunks' });
    log.error({ err: cause, thread: 'chunk-thread', deaths }, 'a thread died');
    if (!mayStart()) log.error('the worker thread makes all chunks from now on');
  }

  const mayStart = () => deaths < MOST_DEATHS && !isStopped;

  function settle(thread: ChunkThread, reply: ChunkReply): void {
    const call = thread.waiting.get(reply.id);
    thread.waiting.delete(reply.id);
    thread.idleSince = performance.now();
    if ('error' in reply) call?.reject(reply.error);
    else call?.resolve(unpacked(reply.chunks));
  }

  /** Returns the thread with the fewest calls, or undefined when threads keep dying. */
  function pick(): ChunkThread | undefined {
    const [idlest] = [...threads].toSorted((a, b) => a.waiting.size - b.waiting.size);
    if (idlest?.waiting.size === 0) return idlest;
    return threads.size < count && mayStart() ? (start() ?? idlest) : idlest;
  }

  function ask(thread: ChunkThread, entities: readonly ChunkInput[]): Promise<MadeChunks> {
    const call: ChunkCall = { id: calls++, entities: entities.map(bare) };
    const answer = Promise.withResolvers<MadeChunks>();
    thread.waiting.set(call.id, answer);
    thread.worker.postMessage(call);
    return answer.promise;
  }

  function endIdle(): void {
    for (const thread of threads)
      if (thread.waiting.size === 0 && performance.now() - thread.idleSince > idleMs)
        void end(thread);
  }

  function end(thread: ChunkThread): Promise<unknown> {
    threads.delete(thread);
    return thread.worker.terminate();
  }

  return {
    count,
    async make(entities, signal) {
      signal.throwIfAborted();
      const thread = pick();
      if (!thread) return makeChunks(entities, { embedder, signal });
      try {
        return await untilAborted(signal, () => ask(thread, entities));
      } catch (error) {
        if (!(error instanceof ThreadDied)) throw error;
        return makeChunks(entities, { embedder, signal });
      }
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.all([...threads].map(end));
    },
  };
}

class ThreadDied extends Error {
  constructor(options: ErrorOptions) {
    super('the thread that made chunks died', options);
  }
}

/** A message has only what chunks are made from, because entities may have large fields. */
const bare = ({
  row,
  entity: { name, text, isMarkdown, pages, places, context },
}: ChunkInput): ChunkInput => ({ row, entity: { name, text, isMarkdown, pages, places, context } });
