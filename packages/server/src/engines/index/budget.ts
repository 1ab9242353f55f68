/**
 * Keeps collections in memory within a budget of bytes; the least recently used one is removed first. The bytes of
 * a collection are computed from its counters, so that a collection that is too large is refused before it is loaded.
 */
import { AppError } from '../../errors.ts';

export const DEFAULT_BUDGET = 512 * 2 ** 20;
/**
 * A refused caller is told to try again after this many seconds. The time is long, because an operator has to act
 * first.
 */
export const RETRY_AFTER = 600;

export interface Residents<T> {
  get(collectionId: string): T | undefined;
  /** Returns true for a collection that was admitted and not removed since, even if it has no value. */
  has(collectionId: string): boolean;
  /** Returns how many bytes are free. */
  free(): number;
  /** Returns how many collections have been removed to make room for others. */
  evictions(): number;
  /**
   * Makes room for a collection of `bytes` bytes by removing others. A value that is already in memory stays. Throws
   * when the collection alone is above the budget.
   */
  admit(collectionId: string, bytes: number): void;
  /** Keeps the value of an admitted collection and makes it the most recently used. */
  set(collectionId: string, value: T | undefined): void;
  delete(collectionId: string): void;
}

export function residents<T>(budget: number): Residents<T> {
  const held = new Map<string, { bytes: number; value: T | undefined }>();
  let total = 0;
  let evicted = 0;

  const forget = (collectionId: string) => {
    total -= held.get(collectionId)?.bytes ?? 0;
    held.delete(collectionId);
  };

  return {
    get: (collectionId) => held.get(collectionId)?.value,
    has: (collectionId) => held.has(collectionId),
    free: () => budget - total,
    evictions: () => evicted,
    admit(collectionId, bytes) {
      const value = held.get(collectionId)?.value;
      forget(collectionId);
      if (bytes > budget)
        throw new AppError(
          503,
          `searching this collection takes ${megabytes(bytes)} MB of memory, and ${megabytes(budget)} MB is the most that collections may take together: raise QUARRY_INDEX_MEMORY_MB, or split the collection`,
          { code: 'index_too_large', retryAfter: RETRY_AFTER },
        );
      for (const oldest of held.keys()) {
        if (total + bytes <= budget) break;
        forget(oldest);
        evicted++;
      }
      held.set(collectionId, { bytes, value });
      total += bytes;
    },
    set(collectionId, value) {
      const entry = held.get(collectionId);
      if (!entry) return;
      held.delete(collectionId);
      held.set(collectionId, { bytes: entry.bytes, value });
    },
    delete: forget,
  };
}

/**
 * One look holds all of its collections at the same time. Throws when they are together above the budget, although each
 * of them is not.
 */
export function requireRoom(sizes: readonly number[], budget: number): void {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length < 2 || bytes <= budget) return;
  throw new AppError(
    503,
    `searching these ${sizes.length} collections together takes ${megabytes(bytes)} MB of memory, and ${megabytes(budget)} MB is the most that collections may take: name fewer of them in \`collections\`, or raise QUARRY_INDEX_MEMORY_MB`,
    { code: 'index_too_large', retryAfter: RETRY_AFTER },
  );
}

const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
