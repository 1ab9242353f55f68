/**
 * The scheduler chooses the due deliveries that are sent next, so that no endpoint and no organization makes the others
 * wait.
 *
 * An endpoint begins with `initial` slots. Each success gives it one more slot, up to `perEndpoint`. A failure takes it
 * back to `initial`, so that an endpoint that stops answering does not use many slots. All endpoints whose newest attempt
 * failed have `failing` slots together. Within these limits organizations take turns, and so do the endpoints of one
 * organization.
 */
import { LRUCache } from 'lru-cache';

export interface DeliveryLimits {
  /** All endpoints together have this many slots. */
  readonly total: number;
  /** All failing endpoints together have this many slots. */
  readonly failing: number;
  /** One endpoint has `initial` slots at first and at most `perEndpoint`. */
  readonly initial: number;
  readonly perEndpoint: number;
}

export const LIMITS: DeliveryLimits = { total: 512, failing: 128, initial: 4, perEndpoint: 64 };
/** The slots that an endpoint has earned are forgotten after this time without a success. */
const REMEMBERED = { max: 10_000, ttl: 60_000 };

export interface EndpointQueue {
  readonly subscriptionId: string;
  readonly organizationId: string;
  readonly isFailing: boolean;
  /** These are the due deliveries, the oldest first. */
  readonly seqs: readonly number[];
}

export interface ChosenDelivery {
  readonly subscriptionId: string;
  readonly seq: number;
  readonly isFailing: boolean;
}

export const keyOf = ({
  subscriptionId,
  seq,
}: Pick<ChosenDelivery, 'subscriptionId' | 'seq'>): string => `${subscriptionId} ${seq}`;

/** A delivery that is being sent has a slot until its outcome is recorded. */
export class DeliverySlots {
  readonly #limits: DeliveryLimits;
  /**
   * `#keys` holds the key of each delivery that has a slot. `#taken` maps a subscription to the number of its slots in
   * use.
   */
  readonly #keys = new Set<string>();
  readonly #taken = new Map<string, number>();
  readonly #shares = new LRUCache<string, number>(REMEMBERED);
  #all = 0;
  #failing = 0;

  constructor(limits: DeliveryLimits) {
    this.#limits = limits;
  }

  get free(): number {
    return this.#limits.total - this.#all;
  }

  /** Returns the subscriptions that use all the slots that one endpoint may have. */
  get full(): string[] {
    return [...this.#taken]
      .filter(([, count]) => count >= this.#limits.perEndpoint)
      .map(([id]) => id);
  }

  release(chosen: ChosenDelivery, outcome: 'success' | 'failed' | 'unknown'): void {
    this.#keys.delete(keyOf(chosen));
    this.#count(chosen, -1);
    const { subscriptionId: id } = chosen;
    if (outcome === 'success')
      this.#shares.set(id, Math.min(this.#shareOf(id) + 1, this.#limits.perEndpoint));
    if (outcome === 'failed') this.#shares.delete(id);
  }

  /**
   * Chooses as many deliveries as there are free slots. A delivery that already has a slot is not chosen, even when its
   * lease has run out.
   */
  choose(queues: readonly EndpointQueue[]): ChosenDelivery[] {
    const chosen: ChosenDelivery[] = [];
    if (this.free === 0) return chosen;
    // Endpoints with the fewest used slots come first. Otherwise, under load, only the first endpoints would ever be
    // served.
    const taken = ({ subscriptionId }: EndpointQueue) => this.#taken.get(subscriptionId) ?? 0;
    const waiting = queues.toSorted((a, b) => taken(a) - taken(b));
    for (const one of turns(waiting, (next) => this.#fits(next))) {
      this.#keys.add(keyOf(one));
      this.#count(one, 1);
      chosen.push(one);
      if (this.free === 0) break;
    }
    return chosen;
  }

  #shareOf(id: string): number {
    return this.#shares.get(id) ?? this.#limits.initial;
  }

  #fits(one: ChosenDelivery): boolean {
    const { subscriptionId: id, isFailing } = one;
    if (isFailing && this.#failing >= this.#limits.failing) return false;
    const share = isFailing ? this.#limits.initial : this.#shareOf(id);
    return (this.#taken.get(id) ?? 0) < share && !this.#keys.has(keyOf(one));
  }

  #count({ subscriptionId, isFailing }: ChosenDelivery, change: 1 | -1): void {
    const taken = (this.#taken.get(subscriptionId) ?? 0) + change;
    if (taken === 0) this.#taken.delete(subscriptionId);
    else this.#taken.set(subscriptionId, taken);
    this.#all += change;
    if (isFailing) this.#failing += change;
  }
}

type Fits = (one: ChosenDelivery) => boolean;

/** Yields one delivery of each organization, then a second one of each, until none is left. */
function* turns(queues: readonly EndpointQueue[], fits: Fits): Generator<ChosenDelivery> {
  const organizations = Map.groupBy(queues, ({ organizationId }) => organizationId);
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

/** Yields one delivery of each endpoint, then a second one of each. Deliveries that do not fit are left out. */
function* roundRobin(queues: readonly EndpointQueue[], fits: Fits): Generator<ChosenDelivery> {
  const longest = Math.max(...queues.map(({ seqs }) => seqs.length));
  for (let turn = 0; turn < longest; turn++)
    for (const { subscriptionId, isFailing, seqs } of queues) {
      const seq = seqs[turn];
      if (seq === undefined) continue;
      const one = { subscriptionId, isFailing, seq };
      if (fits(one)) yield one;
    }
}
