/**
 * Which of what is due goes out next, so that no endpoint and no organization keeps the others waiting.
 *
 * An endpoint has its own small share of the places. One that has not yet proven that it answers, or
 * whose newest attempt failed, has a smaller one, and all of those together never have more than half of
 * the places: as many dead endpoints as there may be, the healthy ones keep the other half. Within that,
 * organizations take turns, and so do the endpoints of one organization.
 */
export interface Limits {
  readonly all: number;
  readonly doubtful: number;
  readonly each: number;
  readonly eachDoubtful: number;
}

export const LIMITS: Limits = { all: 256, doubtful: 128, each: 32, eachDoubtful: 4 };

export interface Head {
  readonly subscriptionId: string;
  readonly organizationId: string;
  readonly isDoubtful: boolean;
  /** What is due, the oldest first. */
  readonly seqs: readonly number[];
}

export interface Chosen {
  readonly subscriptionId: string;
  readonly seq: number;
  readonly isDoubtful: boolean;
}

export const keyOf = ({ subscriptionId, seq }: Pick<Chosen, 'subscriptionId' | 'seq'>): string =>
  `${subscriptionId} ${seq}`;

/** What is on its way: each is in it until its outcome is recorded. */
export class Places {
  readonly #limits: Limits;
  /** Each delivery, and how many of an endpoint. */
  readonly #keys = new Set<string>();
  readonly #taken = new Map<string, number>();
  #all = 0;
  #doubtful = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get free(): number {
    return this.#limits.all - this.#all;
  }

  /** Endpoints that can take nothing more. */
  get full(): string[] {
    return [...this.#taken].filter(([, count]) => count >= this.#limits.each).map(([id]) => id);
  }

  give(chosen: Chosen): void {
    this.#keys.delete(keyOf(chosen));
    this.#count(chosen, -1);
  }

  /** Takes as many as there are places for; none that has one already, however late its lease is. */
  choose(heads: readonly Head[]): Chosen[] {
    const chosen: Chosen[] = [];
    if (this.free === 0) return chosen;
    // Under load those that have least come first, else the first ones would be served for ever.
    const taken = ({ subscriptionId }: Head) => this.#taken.get(subscriptionId) ?? 0;
    const waiting = heads.toSorted((a, b) => taken(a) - taken(b));
    for (const one of turns(waiting, (next) => this.#fits(next))) {
      this.#keys.add(keyOf(one));
      this.#count(one, 1);
      chosen.push(one);
      if (this.free === 0) break;
    }
    return chosen;
  }

  #fits(one: Chosen): boolean {
    const { each, eachDoubtful, doubtful } = this.#limits;
    if (one.isDoubtful && this.#doubtful >= doubtful) return false;
    const taken = this.#taken.get(one.subscriptionId) ?? 0;
    return taken < (one.isDoubtful ? eachDoubtful : each) && !this.#keys.has(keyOf(one));
  }

  #count({ subscriptionId, isDoubtful }: Chosen, change: 1 | -1): void {
    const taken = (this.#taken.get(subscriptionId) ?? 0) + change;
    if (taken === 0) this.#taken.delete(subscriptionId);
    else this.#taken.set(subscriptionId, taken);
    this.#all += change;
    if (isDoubtful) this.#doubtful += change;
  }
}

type Fits = (one: Chosen) => boolean;

/** One of each organization, then the next of each, until nothing is left. */
function* turns(heads: readonly Head[], fits: Fits): Generator<Chosen> {
  const organizations = Map.groupBy(heads, ({ organizationId }) => organizationId);
  let open = [...organizations.values()].map((own) => roundRobin(own, fits));
  while (open.length > 0) {
    const left: typeof open = [];
    for (const queue of open) {
      const { value, done } = queue.next();
      if (done) continue;
      yield value;
      left.push(queue);
    }
    open = left;
  }
}

/** One of each endpoint that has room for it, then the next. */
function* roundRobin(heads: readonly Head[], fits: Fits): Generator<Chosen> {
  const longest = Math.max(...heads.map(({ seqs }) => seqs.length));
  for (let turn = 0; turn < longest; turn++)
    for (const { subscriptionId, isDoubtful, seqs } of heads) {
      const seq = seqs[turn];
      if (seq === undefined) continue;
      const one = { subscriptionId, isDoubtful, seq };
      if (fits(one)) yield one;
    }
}
