/** Tells the steps of `quarry connect` when a person or the system wants the command to end. */
import type { EventEmitter } from 'node:events';
import { Interrupted } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals that come within this time are one wish to end. A terminal sends Ctrl-C to all programs in front, and the
 * program that has started this one passes it on, so that this process receives it twice.
 */
const ONE_WISH_MS = 500;

/**
 * The first signal to end the process aborts `stop`, and a later one aborts `hurry`, until this is closed. The end of
 * the terminal, or of the pipe that shows the messages, aborts `stop` only, because nobody is there who could hurry.
 */
interface Signals {
  readonly stop: AbortController;
  readonly hurry: AbortController['signal'];
  close(): void;
}

/** `source` is the process. `now` returns the milliseconds of a clock that is never set back. */
export function listenToSignals(source: EventEmitter, now: () => number): Signals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let stoppedAt = 0;
  stop.signal.addEventListener('abort', () => {
    stoppedAt = now();
  });
  const listen = (signal: NodeJS.Signals) => {
    if (!stop.signal.aborted) stop.abort(new Interrupted('interrupted'));
    else if (signal !== 'SIGHUP' && now() - stoppedAt > ONE_WISH_MS)
      hurry.abort(new Interrupted('interrupted'));
  };
  for (const signal of SIGNALS) source.on(signal, listen);
  // It stays after the end, because an error of the last message comes later.
  process.stderr.on('error', () => stop.abort(new Interrupted('nobody reads the messages')));
  return {
    stop,
    hurry: hurry.signal,
    close() {
      for (const signal of SIGNALS) source.off(signal, listen);
    },
  };
}
