/**
 * Keeps a thread alive: one that dies is started again, later each time, so that a fault in a parser or
 * an index costs the work in hand and not the service. A thread that dies at once, again and again,
 * stops being started, and `onGivenUp` is told.
 */
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ThreadData } from './protocol.ts';

const RESTARTS = 10;
const BACKOFF_MS = 200;
/** A thread that has lived this long was healthy. */
const HEALTHY_MS = 60_000;

/** Half the memory of Node's own choice, for the same speed: what is young here dies young. */
const YOUNG = { maxYoungGenerationSizeMb: 24 };

export interface Thread {
  /** False while no thread lives: the message went nowhere. */
  send(message: unknown): boolean;
  /** Asks the thread to end and waits until it has. */
  stop(): Promise<void>;
}

export function superviseThread(options: {
  /** File beside this one, without its extension (.ts as it is, .js when built). */
  readonly entry: 'worker-thread' | 'search-thread';
  readonly data: ThreadData;
  readonly log: Logger;
  readonly onMessage?: (message: unknown) => void;
  /** Before a dead thread is started again. */
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
