/** A poller makes the pauses of a loop that looks for work in a queue. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Poller {
  /** Ends the current pause, or the next one when none is running, because there may be something to do. */
  wake(): void;
  /** Resolves after `ms` milliseconds, or earlier when `wake` is called. */
  rest(ms: number): Promise<void>;
}

export function createPoller(): Poller {
  let awake = new AbortController();
  return {
    wake: () => awake.abort(),
    async rest(ms) {
      await sleep(ms, undefined, { signal: awake.signal }).catch(() => {
        // The only possible error is the abort by `wake`, which only ends the pause.
      });
      if (awake.signal.aborted) awake = new AbortController();
    },
  };
}
