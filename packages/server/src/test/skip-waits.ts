/** Lets a test pass over the long waits of the code in its process. */
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import timers from 'node:timers/promises';

export interface SkippedWaits {
  /** These waits were skipped, in milliseconds. */
  readonly waits: readonly number[];
  /** From then on, all waits last as long as they should. */
  restore(): void;
}

/**
 * Waits of `setTimeout` of node:timers/promises that last `fromMs` or longer end at once. `pass` is told of each, so that
 * a clock of the test can go on by as much.
 */
export function skipWaits(fromMs: number, pass: (ms: number) => void = () => {}): SkippedWaits {
  const waits: number[] = [];
  let skips = true;
  const wait = timers.setTimeout;
  const mocked = mock.method(timers, 'setTimeout', (ms: number, ...rest: []) => {
    if (!skips || ms < fromMs) return wait(ms, ...rest);
    waits.push(ms);
    pass(ms);
    return Promise.resolve();
  });
  syncBuiltinESMExports();
  return {
    waits,
    restore() {
      // The mocked timers of a test are reset later than this, and then put this function back.
      skips = false;
      mocked.mock.restore();
      syncBuiltinESMExports();
    },
  };
}
