/** Runs work with the same key one after the other. */
export function turns() {
  const running = new Map<string, Promise<void>>();

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = running.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(key, promise);
    try {
      await before;
      return await work();
    } finally {
      resolve();
      if (running.get(key) === promise) running.delete(key);
    }
  };
}
