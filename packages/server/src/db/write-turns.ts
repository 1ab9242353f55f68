/**
 * SQLite lets one connection write at a time. Transactions of this thread that want to write wait here, in the order in
 * which they came, and not in the database: there whoever happens to ask at the right moment goes first, and each of
 * them would keep a connection from the reads meanwhile.
 */
export interface WriteTurns {
  /** Resolves with the function that ends the turn. Rejects with the error that `late` makes after `ms` milliseconds. */
  take(ms: number, late: () => Error): Promise<() => void>;
}

/** Node would take a longer time for one millisecond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createWriteTurns(): WriteTurns {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  function end(): void {
    const next = waiting.shift();
    if (next) next();
    else isTaken = false;
  }

  return {
    async take(ms, late) {
      if (!isTaken) {
        isTaken = true;
        return end;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const timer = setTimeout(
        () => {
          waiting.splice(waiting.indexOf(resolve), 1);
          reject(late());
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      try {
        await promise;
      } finally {
        clearTimeout(timer);
      }
      return end;
    },
  };
}
