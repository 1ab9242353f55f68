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

/** What is on its way: each is in it until its outcome is recorded. */
export class Places {
  readonly #limits: Limits;
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

  take({ subscriptionId, isDoubtful }: Omit<Chosen, 'seq'>): void {
    this.#count(subscriptionId, isDoubtful, 1);
  }

  give({ subscriptionId, isDoubtful }: Omit<Chosen, 'seq'>): void {
    this.#count(subscriptionId, isDoubtful, -1);
  }

  /** Takes as many as there are places for. */
  choose(heads: readonly Head[]): Chosen[] {
    const chosen: Chosen[] = [];
    for (const { subscriptionId, isDoubtful, seq } of turns(heads)) {
      if (this.free === 0) break;
      const { each, eachDoubtful, doubtful } = this.#limits;
      const most = isDoubtful ? eachDoubtful : each;
      if ((this.#taken.get(subscriptionId) ?? 0) >= most) continue;
      if (isDoubtful && this.#doubtful >= doubtful) continue;
      const one = { subscriptionId, isDoubtful, seq };
      this.take(one);
      chosen.push(one);
    }
    return chosen;
  }

  #count(subscriptionId: string, isDoubtful: boolean, change: 1 | -1): void {
    const taken = (this.#taken.get(subscriptionId) ?? 0) + change;
    if (taken === 0) this.#taken.delete(subscriptionId);
    else this.#taken.set(subscriptionId, taken);
    this.#all += change;
    if (isDoubtful) this.#doubtful += change;
  }
}

/** One of each organization, then the next of each, until nothing is left. */
function* turns(heads: readonly Head[]): Generator<Chosen> {
  const organizations = Map.groupBy(heads, ({ organizationId }) => organizationId);
  const queues = [...organizations.values()].map(roundRobin);
  for (let open = queues; open.length > 0; ) {
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

function* roundRobin(heads: readonly Head[]): Generator<Chosen> {
  const longest = Math.max(...heads.map(({ seqs }) => seqs.length));
  for (let turn = 0; turn < longest; turn++)
    for (const { subscriptionId, isDoubtful, seqs } of heads) {
      const seq = seqs[turn];
      if (seq !== undefined) yield { subscriptionId, isDoubtful, seq };
    }
}
