/**
 * Keeps what was used lately within a budget. A look-up moves nothing: it leaves a mark, and what has one
 * when its turn to go comes has another turn, without it (the clock algorithm).
 */
export interface RecentOptions<Key, Value> {
  /** In the unit of `sizeOf`; 0 keeps nothing. */
  readonly budget: number;
  readonly sizeOf: (value: Value, key: Key) => number;
  /** Of a value that has another turn. */
  readonly renew?: (value: Value) => Value;
}

interface CacheEntry<Value> {
  value: Value;
  size: number;
  wasUsed: boolean;
}

export class Recent<Key, Value> {
  readonly #options: RecentOptions<Key, Value>;
  /** In the order of their turns. */
  readonly #entries = new Map<Key, CacheEntry<Value>>();
  /** Goes on where it was: from the beginning it would pass over all that has gone. */
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
    // Before it comes: where all have a mark it would be the first to go.
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
