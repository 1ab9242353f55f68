/**
 * The stage orders events. Every process stops before each statement and each item of a source, and one process at
 * a time may go on; the seed decides which one. Time passes only when all processes wait for a timer, or,
 * rarely, by chance.
 */
import type { Random } from '../random/random.ts';
import { type Clock, type Owner, running } from './clock.ts';

/** The limit is above any number of steps that real work takes, so only a loop that never ends reaches it. */
const MOST_STEPS = 30_000;

interface Waiting {
  readonly owner: Owner;
  readonly goOn: () => void;
}

/** A flow is a call, a start or a stop of a process, which may still be under way. */
export interface Flow<T> {
  readonly isSettled: boolean;
  /** Returns the result, or throws the error with which the work ended. */
  result(): T;
}

export class Stage {
  random: Random;
  readonly clock: Clock;
  #waiting: Waiting[] = [];
  /** Called after each step. It throws to end the simulation. */
  readonly #afterStep: () => void;

  constructor(clock: Clock, random: Random, afterStep: () => void) {
    this.clock = clock;
    this.random = random;
    this.#afterStep = afterStep;
  }

  /** Resolves when it is this process's turn, and never when the process is dead. */
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

  /** Steps until the condition holds. Throws when it never does. */
  async until(isThere: () => boolean): Promise<void> {
    await macrotask();
    for (let steps = 0; !isThere(); steps++) {
      if (steps > MOST_STEPS || !(await this.step())) throw new Error('it never ends');
    }
  }

  /** Lets one process go on, or time pass. Returns false when nothing is left to happen. */
  async step(): Promise<boolean> {
    const ready = this.#waiting.filter(({ owner }) => owner.state === 'up');
    const timer = this.clock.next();
    if (ready.length > 0 && !(timer && this.random.next() < 0.02)) {
      const next = this.random.pick(ready);
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      if (this.random.next() < 0.2) this.clock.now++;
      next.goOn();
    } else if (timer) this.clock.fire(timer);
    else return false;
    await macrotask();
    this.#afterStep();
    return true;
  }

  /** Removes dead processes from those that wait. */
  bury(): void {
    this.#waiting = this.#waiting.filter(({ owner }) => owner.state !== 'dead');
  }
}

/** Resolves when everything that needs no further step has happened. */
const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve));

function assertNever(): never {
  throw new Error('the flow has not settled');
}
