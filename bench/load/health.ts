/** Asks /health/live in a thread of its own while a load runs. */
import { Worker } from 'node:worker_threads';

export interface HealthTimes {
  /** The times of the answers in milliseconds. */
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

/** Returns a function that ends the asking and returns what came. */
export function askHealth(address: string): () => Promise<HealthTimes> {
  const thread = new Worker(new URL('./health-thread.ts', import.meta.url), {
    workerData: address,
  });
  const ended = new Promise<HealthTimes>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  return () => {
    thread.postMessage('end');
    return ended;
  };
}
