/**
 * Keeps what was used lately within a budget, in two generations: when the younger one holds half of the
 * budget, the older one is dropped but for what was used since. A look-up moves nothing as a rule.
 */
export interface RecentOptions<Value> {
  /** In the unit of `sizeOf`; 0 keeps nothing. */
  readonly budget: number;
  readonly sizeOf: (value: Value) => number;
  /** Of a value that stays although its generation goes. */
  readonly renew?: (value: Value) => Value;
}

export class Recent<Key, Value> {
  readonly #options: RecentOptions<Value>;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #size = 0;

  constructor(options: RecentOptions<Value>) {
    this.#options = options;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    const value = this.#options.renew?.(old) ?? old;
    this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    const { budget, sizeOf } = this.#options;
    const size = sizeOf(value);
    const before = this.#young.get(key);
    if (before !== undefined) this.#size -= sizeOf(before);
    if (this.#size + size > budget / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#size = 0;
    }
    if (size > budget / 2) return;
    this.#old.delete(key);
    this.#young.set(key, value);
    this.#size += size;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#size = 0;
  }
}
