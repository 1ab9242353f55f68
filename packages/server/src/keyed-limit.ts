/** Limits how many pieces of work run at once for each key. Work that has to wait starts in the order of its arrival. */
import pLimit, { type LimitFunction } from 'p-limit';

export interface KeyedLimit {
  /** Returns how many pieces of work of this key run or wait. */
  size(key: string): number;
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedLimit(atOnce: number): KeyedLimit {
  /** Only keys with unfinished work have an entry. */
  const entries = new Map<string, { readonly limit: LimitFunction; size: number }>();
  return {
    size: (key) => entries.get(key)?.size ?? 0,
    async run(key, work) {
      const entry = entries.get(key) ?? { limit: pLimit(atOnce), size: 0 };
      entries.set(key, entry);
      entry.size++;
      try {
        return await entry.limit(work);
      } finally {
        entry.size--;
        if (entry.size === 0) entries.delete(key);
      }
    },
  };
}
