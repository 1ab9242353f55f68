/**
 * The order of events. Every process stops before each statement and each word of a source, and one
 * at a time is let go on: which one, the seed says. Only when all wait for time does time pass.
 */
import type { Random } from '../engines/random.ts';
import { type Clock, type Owner, running } from './clock.ts';

/** Above any number of steps that work takes; a loop that never ends gets here. */
const MOST_STEPS = 30_000;

interface Waiting {
  readonly owner: Owner;
  readonly goOn: () => void;
}

/** Something that was begun: a call, a start, a stop. */
export interface Flow<T> {
  readonly isSettled: boolean;
  /** What came out of it; throws what it threw. */
  result(): T;
}

export class Stage {
  random: Random;
  readonly clock: Clock;
  #waiting: Waiting[] = [];
  /** Called after each step: throws to end the simulation. */
  readonly #afterStep: () => void;

  constructor(clock: Clock, random: Random, afterStep: () => void) {
    this.clock = clock;
    this.random = random;
    this.#afterStep = afterStep;
  }

  /** Resolves when it is this process's turn, and never once it is dead. */
  gate(owner: Owner): Promise<void> {
    return new Promise((goOn) => this.#waiting.push({ owner, goOn }));
  }

  begin<T>(owner: Owner, work: () => Promise<T>): Flow<T> {
    const flow = { isSettled: false, result: (): T => assertNever() };
    const settle = (result: () => T) => Object.assign(flow, { isSettled: true, result });
    running.run(owner, work).then(
      (value) => settle(() => value),
      (error) =>
        settle(() => {
          throw error;
        }),
    );
    return flow;
  }

  /** Steps until the state is there. Throws when it never comes. */
  async until(isThere: () => boolean): Promise<void> {
    await macrotask();
    for (let steps = 0; !isThere(); steps++) {
      if (steps > MOST_STEPS || !(await this.step())) throw new Error('it never ends');
    }
  }

  /** One process goes on, or time passes; false when nothing is left to happen. */
  async step(): Promise<boolean> {
    const ready = this.#waiting.filter(({ owner }) => owner.state === 'up');
    const timer = this.clock.next();
    if (ready.length > 0 && !(timer && this.random.next() < 0.02)) {
      const next = this.random.pick(ready);
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      if (this.random.next() < 0.2) this.clock.now++;
      next.goOn();
    } else if (timer) this.clock.ring(timer);
    else return false;
    await macrotask();
    this.#afterStep();
    return true;
  }

  /** The dead wait no longer. */
  bury(): void {
    this.#waiting = this.#waiting.filter(({ owner }) => owner.state !== 'dead');
  }
}

/** Everything that needs no step has happened after it. */
const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve));

function assertNever(): never {
  throw new Error('the flow has not settled');
}
