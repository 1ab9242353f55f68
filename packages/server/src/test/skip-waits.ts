/** Lets a test skip the long waits of the code in its process. */
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import timers from 'node:timers/promises';

export interface SkippedWaits {
  /** These waits, in milliseconds, were skipped. */
  readonly waits: readonly number[];
  /** After this call, all waits last as long as they should. */
  restore(): void;
}

/**
 * Waits of `setTimeout` of node:timers/promises that last `fromMs` or longer end at once. `pass` gets the length of
 * each skipped wait, so that a clock of the test can be set forward by the same time. This must be called in a hook or in
 * a test: all files of a process are loaded before their tests run, and would run without waits.
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
      // The mocked timers of a test are reset later than this, and put this function back at that
      // time.
      skips = false;
      mocked.mock.restore();
      syncBuiltinESMExports();
    },
  };
}
