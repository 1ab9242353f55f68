/**
 * Keeps a thread running. A thread that dies is started again, each time after a longer pause, so that a bug in a
 * parser or an index ends only the thread's current work and not the service. A death counts as one of a row when the
 * thread died within HEALTHY_MS after it was started. A thread that the system refuses, for example because memory is
 * short, counts as one that died at once. After more than RESTARTS deaths in a row, or when `onDeath`
 * throws, the thread is not started again and `onGivenUp` is called.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { moduleFile } from '../installation.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ThreadMetrics } from '../telemetry/thread-metrics.ts';
import type { ThreadData } from './protocol.ts';
import { passLineOn } from './thread-log.ts';

const RESTARTS = 10;
const BACKOFF_MS = 200;
/** When a thread has run for longer than this, its earlier deaths are forgotten. */
const HEALTHY_MS = 60_000;

/**
 * This is half of Node's default for young objects. It saves memory. It does not make the threads slower, because most
 * young objects die early.
 */
export const YOUNG_GENERATION = { maxYoungGenerationSizeMb: 24 };

export interface Thread {
  /** Sends a message, of which these buffers are moved and not copied. Returns false when no thread runs; the message is lost then. */
  send(message: unknown, transferred?: readonly ArrayBuffer[]): boolean;
  /** Asks the thread to end, and waits until it has ended. */
  stop(): Promise<void>;
}

/** A process starts all of its threads with these. */
export interface Supervision {
  readonly data: Omit<ThreadData, 'metricsPort'>;
  readonly metrics: Pick<Metrics, 'quarry_thread_deaths_total'>;
  readonly threadMetrics: ThreadMetrics;
  readonly log: Logger;
  /** This function is called when the thread has died so often that it is not started again. */
  readonly onGivenUp: (error: Error) => void;
}

const NAMES = {
  'worker-thread': 'worker',
  'search-thread': 'search',
  'push-thread': 'pushes',
} as const;

export function superviseThread(
  options: Supervision & {
    /** This is the name of a module beside this one. */
    readonly entry: keyof typeof NAMES;
    readonly onMessage?: (message: unknown) => void;
    /** This function runs before a dead thread is started again. */
    readonly onDeath: () => Promise<void>;
  },
): Thread {
  const { entry, data, log, metrics, threadMetrics } = options;
  let stopping = false;
  let deaths = 0;
  /** It is undefined while no thread runs. */
  let worker: Worker | undefined;
  let ended = Promise.resolve();
  // A monitor sees no increase in the first value of a counter.
  metrics.quarry_thread_deaths_total.inc({ thread: NAMES[entry] }, 0);
  spawn(data);

  function spawn(toStart: Supervision['data']): void {
    const bornAt = performance.now();
    const metricsPort = threadMetrics.open(NAMES[entry]);
    try {
      const workerData: ThreadData = { ...toStart, metricsPort };
      worker = new Worker(moduleFile(`threads/${entry}`), {
        workerData,
        transferList: [metricsPort],
        resourceLimits: YOUNG_GENERATION,
      });
    } catch (error) {
      metricsPort.close();
      void revive(error, bornAt);
      return;
    }
    ended = endOf(worker, bornAt);
  }

  /** Passes on what the thread sends, and resolves when it has ended. */
  function endOf(started: Worker, bornAt: number): Promise<void> {
    started.on('message', (message) => {
      if (!passLineOn(message, log)) options.onMessage?.(message);
    });
    let cause: unknown;
    started.on('error', (error) => {
      cause = error;
    });
    return new Promise<void>((resolve) => {
      started.on('exit', (code) => {
        worker = undefined;
        resolve();
        if (!stopping) void revive(cause ?? new Error(`exit code ${code}`), bornAt);
      });
    });
  }

  async function revive(cause: unknown, bornAt: number): Promise<void> {
    if (performance.now() - bornAt > HEALTHY_MS) deaths = 0;
    deaths++;
    metrics.quarry_thread_deaths_total.inc({ thread: NAMES[entry] });
    log.error({ err: cause, thread: entry, deaths }, 'a thread died');
    try {
      await options.onDeath();
      if (deaths > RESTARTS) throw new Error('a thread keeps dying', { cause });
      await sleep(BACKOFF_MS * deaths);
      // To read collections may be what has ended the thread, so the next one reads only what it is asked for.
      if (!stopping) spawn({ ...data, isWarmed: false });
    } catch (error) {
      options.onGivenUp(error as Error);
    }
  }

  return {
    send(message, transferred = []) {
      worker?.postMessage(message, transferred);
      return worker !== undefined;
    },
    async stop() {
      stopping = true;
      worker?.postMessage('stop');
      await ended;
    },
  };
}
