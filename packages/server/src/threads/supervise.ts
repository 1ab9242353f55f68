/**
 * Keeps a thread alive. A thread that dies is started again, later each time, so that a fault in a parser or an index
 * costs the running work and not the service. A thread that dies soon after each start, more than RESTARTS times, is
 * not started again, and `onGivenUp` is called.
 */
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ThreadData } from './protocol.ts';

const RESTARTS = 10;
const BACKOFF_MS = 200;
/** A thread that has lived for longer than this was healthy. */
const HEALTHY_MS = 60_000;

/**
 * Node would choose twice this memory. The threads are as fast with half of it, because most young objects die early.
 */
const YOUNG = { maxYoungGenerationSizeMb: 24 };

export interface Thread {
  /** Returns false while no thread lives, and then the message is lost. */
  send(message: unknown): boolean;
  /** Asks the thread to end, and waits until it has ended. */
  stop(): Promise<void>;
}

export function superviseThread(options: {
  /** This is the name of a file beside this one, without its extension (.ts in the sources, .js when built). */
  readonly entry: 'worker-thread' | 'search-thread';
  readonly data: ThreadData;
  readonly log: Logger;
  readonly onMessage?: (message: unknown) => void;
  /** Runs before a dead thread is started again. */
  readonly onDeath: () => Promise<void>;
  readonly onGivenUp: (error: Error) => void;
}): Thread {
  const { entry, data, log } = options;
  let stopping = false;
  let deaths = 0;
  let alive = false;
  let { worker, ended } = spawn();

  function spawn() {
    const bornAt = performance.now();
    const file = new URL(`./${entry}${extname(import.meta.url)}`, import.meta.url);
    alive = true;
    const worker = new Worker(file, { workerData: data, resourceLimits: YOUNG });
    if (options.onMessage) worker.on('message', options.onMessage);
    let cause: unknown;
    worker.on('error', (error) => {
      cause = error;
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', (code) => {
        alive = false;
        resolve();
        if (!stopping) void revive(cause ?? new Error(`exit code ${code}`), bornAt);
      });
    });
    return { worker, ended };
  }

  async function revive(cause: unknown, bornAt: number): Promise<void> {
    if (performance.now() - bornAt > HEALTHY_MS) deaths = 0;
    deaths++;
    log.error({ err: cause, thread: entry, deaths }, 'a thread died');
    try {
      await options.onDeath();
      if (deaths > RESTARTS) throw new Error('a thread keeps dying', { cause });
      await sleep(BACKOFF_MS * deaths);
      if (!stopping) ({ worker, ended } = spawn());
    } catch (error) {
      options.onGivenUp(error as Error);
    }
  }

  return {
    send(message) {
      if (!alive) return false;
      worker.postMessage(message);
      return true;
    },
    async stop() {
      stopping = true;
      if (alive) worker.postMessage('stop');
      await ended;
    },
  };
}
