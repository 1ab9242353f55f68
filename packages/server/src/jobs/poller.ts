/** This file makes the pause between two looks at a queue. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Poller {
  /** A caller says that there may be something to do: the pause that runs now ends, or else the next pause does. */
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
        // The only error is the abort by `wake`, which is what the signal is for.
      });
      if (awake.signal.aborted) awake = new AbortController();
    },
  };
}
