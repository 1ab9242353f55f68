/** Lets two requests for the same result wait for the same work. */

/** Returns the result of the work in progress with this key, or of new work. */
type ShareWork<Result> = (key: string, work: () => Promise<Result>) => Promise<Result>;

/** Work is shared only by those with the same signal, because the abort of one must not end the work of another. */
export function createSharedWork<Result>(): (signal: AbortSignal) => ShareWork<Result> {
  const all = new WeakMap<AbortSignal, Map<string, Promise<Result>>>();
  return (signal) => {
    const inProgress = all.get(signal) ?? new Map<string, Promise<Result>>();
    all.set(signal, inProgress);
    return (key, work) => {
      const known = inProgress.get(key);
      if (known) return known;
      const started = work().finally(() => inProgress.delete(key));
      inProgress.set(key, started);
      return started;
    };
  };
}
