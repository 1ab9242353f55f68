/**
 * Keeps what was used recently within a budget. A look-up moves nothing: it leaves a mark. When the turn of an
 * entry to be removed comes, and the entry has a mark, it loses the mark and gets another turn (the clock
 * algorithm).
 */
export interface RecentOptions<Key, Value> {
  /** The budget is in the unit of `sizeOf`; 0 keeps nothing. */
  readonly budget: number;
  readonly sizeOf: (value: Value, key: Key) => number;
  /** The cache replaces a value that gets another turn with the value that this function returns. */
  readonly renew?: (value: Value) => Value;
}

interface CacheEntry<Value> {
  value: Value;
  size: number;
  wasUsed: boolean;
}

export class Recent<Key, Value> {
  readonly #options: RecentOptions<Key, Value>;
  /** The entries are in the order of their turns. */
  readonly #entries = new Map<Key, CacheEntry<Value>>();
  /** The iterator goes on where it stopped: a new one would pass over all deleted entries at the beginning. */
  #turns = this.#entries.entries();
  #size = 0;

  constructor(options: RecentOptions<Key, Value>) {
    this.#options = options;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.wasUsed = true;
    return entry.value;
  }

  set(key: Key, value: Value): void {
    const { budget, sizeOf } = this.#options;
    const size = sizeOf(value, key);
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
    if (size > budget) return;
    // Room is made before the new entry is stored: if all others have a mark, the new entry would be removed
    // first.
    while (this.#size + size > budget) this.#takeTurn();
    this.#entries.set(key, { value, size, wasUsed: false });
    this.#size += size;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  #takeTurn(): void {
    const { done, value } = this.#turns.next();
    if (done) {
      this.#turns = this.#entries.entries();
      return;
    }
    const [key, entry] = value;
    this.#entries.delete(key);
    if (entry.wasUsed) {
      entry.wasUsed = false;
      entry.value = this.#options.renew?.(entry.value) ?? entry.value;
      this.#entries.set(key, entry);
    } else this.#size -= entry.size;
  }
}
