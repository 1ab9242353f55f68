/** The pause between two looks at a queue. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Rest {
  /** There may be something to do: the pause that runs ends, or the next one. */
  wake(): void;
  /** Resolves after `ms`, or when it is woken. */
  rest(): Promise<void>;
}

export function createRest(ms: number): Rest {
  let awake = new AbortController();
  return {
    wake: () => awake.abort(),
    async rest() {
      await sleep(ms, undefined, { signal: awake.signal }).catch(() => {
        // Woken up: that is what the signal is for.
      });
      if (awake.signal.aborted) awake = new AbortController();
    },
  };
}
