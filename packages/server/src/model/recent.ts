/**
 * This is a cache with a budget, which keeps recently used entries (the clock algorithm). A look-up only sets a mark on
 * the entry, because moving the entry would be slower. To make room, the cache checks the entries in turn: an entry
 * with a mark loses the mark and stays, an entry without a mark is removed.
 */
export interface RecentOptions<Key, Value> {
  /** The budget is in the unit of `sizeOf`. With 0 the cache stays empty. */
  readonly budget: number;
  readonly sizeOf: (value: Value, key: Key) => number;
  /** When an entry stays because of its mark, its value is replaced by the result of this function. */
  readonly renew?: (value: Value) => Value;
}

interface CacheEntry<Value> {
  value: Value;
  size: number;
  wasUsed: boolean;
}

export class Recent<Key, Value> {
  readonly #options: RecentOptions<Key, Value>;
  /** The entries are in the order in which they are checked. */
  readonly #entries = new Map<Key, CacheEntry<Value>>();
  /** This iterator is kept, because a new one would have to skip all deleted entries at the beginning of the map. */
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
    const known = this.#entries.get(key);
    if (known && size <= budget) {
      this.#replace(known, { value, size });
      return;
    }
    this.#size -= known?.size ?? 0;
    this.#entries.delete(key);
    if (size > budget) return;
    // Room is made before the new entry is stored. Otherwise the new entry could be removed at once, when all others
    // have a mark.
    while (this.#size + size > budget) this.#takeTurn();
    this.#entries.set(key, { value, size, wasUsed: false });
    this.#size += size;
  }

  /**
   * The entry stays where it is in the map. A map that gets the same keys again and again makes new tables, and V8 keeps
   * all of them, with their values, as long as the iterator of the turns stands in the first one.
   */
  #replace(entry: CacheEntry<Value>, { value, size }: Pick<CacheEntry<Value>, 'value' | 'size'>) {
    this.#size += size - entry.size;
    Object.assign(entry, { value, size, wasUsed: true });
    while (this.#size > this.#options.budget) this.#takeTurn();
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
