import { Interrupted } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal to end the process aborts `stop`, and the second one `hurry`, until this is closed. */
interface Signals {
  readonly stop: AbortController;
  readonly hurry: AbortController['signal'];
  close(): void;
}

export function listenToSignals(): Signals {
  const stop = new AbortController();
  const hurry = new AbortController();
  const listen = () => {
    if (stop.signal.aborted) hurry.abort(new Interrupted('interrupted'));
    else stop.abort(new Interrupted('interrupted'));
  };
  for (const signal of SIGNALS) process.on(signal, listen);
  return {
    stop,
    hurry: hurry.signal,
    close() {
      for (const signal of SIGNALS) process.off(signal, listen);
    },
  };
}
