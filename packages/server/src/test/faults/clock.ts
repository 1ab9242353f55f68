/**
 * Replaces the clock and the timers of a thread for a simulation, which therefore needs a thread of its own. Nothing
 * really waits: timers are kept in a list, and the simulation decides when the next one fires.
 *
 * A timer belongs to the process that set it. While this process is frozen or dead, its timers do not fire.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import zlib, { gzipSync } from 'node:zlib';

/** Names the process whose code runs at this moment. It is passed on to all asynchronous work of that process. */
export const running = new AsyncLocalStorage<Owner>();

export interface Owner {
  readonly state: 'up' | 'frozen' | 'dead';
  /** The process last woke up at this time of the monotonic clock. */
  readonly awakeSince: number;
  /** The process last checked at this time which schedules are due. */
  readonly lookedAt: number;
}

export interface Timer {
  at: number;
  readonly owner: Owner | undefined;
  readonly every: number | undefined;
  readonly fire: () => void;
  /** The simulation ends by itself, so no timer keeps the thread alive. */
  unref(): Timer;
}

export interface Clock {
  now: number;
  /** Returns the timer that fires next, of those whose process is up. */
  next(): Timer | undefined;
  /** Moves the clock to the time of the timer, unless that has passed, and fires the timer. */
  fire(timer: Timer): void;
  /** Removes all timers and begins at this time. */
  reset(now: number): void;
}

/** Replaces the clock and the timers of this thread for good. */
export function installClock(): Clock {
  const waiting = new Set<Timer>();
  let elapsed = 0;
  const clock: Clock = {
    now: 0,
    next() {
      let first: Timer | undefined;
      for (const timer of waiting) {
        if (timer.owner?.state === 'dead') waiting.delete(timer);
        else if (timer.owner?.state !== 'frozen' && (!first || timer.at < first.at)) first = timer;
      }
      return first;
    },
    fire(timer) {
      const passed = Math.max(0, timer.at - elapsed);
      elapsed += passed;
      clock.now += passed;
      if (timer.every === undefined) waiting.delete(timer);
      else timer.at = elapsed + timer.every;
      timer.fire();
    },
    reset(now) {
      waiting.clear();
      clock.now = now;
    },
  };

  const set = (fire: () => void, ms: number, every?: number): Timer => {
    const timer: Timer = {
      // Times are whole milliseconds, as those of a real clock.
      at: elapsed + Math.max(1, Math.ceil(ms)),
      owner: running.getStore(),
      every,
      fire: AsyncLocalStorage.bind(fire),
      unref: () => timer,
    };
    waiting.add(timer);
    return timer;
  };

  const sleep = (ms = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = set(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, ms);
      const abort = () => {
        waiting.delete(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });

  // A process that yields with setImmediate must wait for its turn, but the simulation itself goes on at once.
  const { setImmediate: giveWay } = timers;
  const giveWayInTurn = (value?: unknown, options = {}) =>
    running.getStore() ? sleep(0, value, options) : giveWay(value, options);
  Object.assign(timers, { setTimeout: sleep, setImmediate: giveWayInTurn });
  // The threads of node's pool would finish in an order that no seed decides, so their work is done synchronously.
  Object.assign(zlib, {
    gzip: (data: Uint8Array, options: object, done: (error: null, packed: Uint8Array) => void) =>
      done(null, gzipSync(data, options)),
  });
  syncBuiltinESMExports();
  const clear = (timer: Timer | undefined) => timer && waiting.delete(timer);
  Object.assign(globalThis, {
    Date: dateOf(clock),
    setTimeout: (fire: () => void, ms: number) => set(fire, ms),
    setInterval: (fire: () => void, ms: number) => set(fire, ms, ms),
    clearTimeout: clear,
    clearInterval: clear,
  });
  performance.now = () => elapsed;
  return clock;
}

/** Returns a Date whose current time is that of the clock. */
export function dateOf(clock: { readonly now: number }): DateConstructor {
  const Real = Date;
  return class extends Real {
    constructor(...parts: [] | [number]) {
      if (parts.length === 0) super(clock.now);
      else super(...parts);
    }
    static override now() {
      return clock.now;
    }
  } as DateConstructor;
}
