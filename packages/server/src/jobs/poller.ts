/** The pause between two looks at a queue. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Poller {
  /** There may be something to do: the pause that runs ends, or the next one. */
  wake(): void;
  /** Resolves after so many milliseconds, or when it is woken. */
  rest(ms: number): Promise<void>;
}

export function createRest(): Poller {
  let awake = new AbortController();
  return {
    wake: () => awake.abort(),
    async rest(ms) {
      await sleep(ms, undefined, { signal: awake.signal }).catch(() => {
        // Woken up: that is what the signal is for.
      });
      if (awake.signal.aborted) awake = new AbortController();
    },
  };
}
