/**
 * Runs at most `most` pieces of work of one key at once. The others wait in the order in which they came, or until
 * their signal aborts.
 */
export type Turns = <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

interface Queue {
  free: number;
  readonly waiting: (() => void)[];
}

export function createTurns(most: number): Turns {
  /** Only keys with running work have a queue. */
  const queues = new Map<string, Queue>();

  const turn = ({ waiting }: Queue, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });

  return async (key, work, signal) => {
    signal.throwIfAborted();
    const queue = queues.get(key) ?? { free: most, waiting: [] };
    queues.set(key, queue);
    if (queue.free > 0) queue.free--;
    else await turn(queue, signal);
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else if (++queue.free === most) queues.delete(key);
    }
  };
}
