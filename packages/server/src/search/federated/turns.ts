/** At most so many at once: the rest wait in the order in which they came, or until their signal aborts. */
export type Turns = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createTurns(most: number): Turns {
  let free = most;
  const waiting: (() => void)[] = [];

  const turn = (signal: AbortSignal) =>
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

  return async (work, signal) => {
    signal.throwIfAborted();
    if (free > 0) free--;
    else await turn(signal);
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
