/**
 * Brings the metrics of threads into their process. A thread counts in its own memory and sends a snapshot only when it
 * is asked, so a count costs no message. Each thread has a port of its own for this, beside the one of its work.
 *
 * What an ended thread has counted stays in the sums: otherwise a monitor would take the smaller sum for a new start. A
 * thread sends a last snapshot when it ends by itself. One that dies loses what it has counted since it was last asked.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Logger } from 'pino';
import { type Metrics, type MetricsSnapshot, merged } from './metrics.ts';

/** A thread that is busy for longer is shown with its last snapshot. */
const PATIENCE_MS = 500;

export interface ThreadMetrics {
  /** Returns the port for a new thread. It must be transferred to the thread. */
  open(thread: string): MessagePort;
  /**
   * Returns the newest snapshots of all threads. A look leaves everything as it is, while a scrape begins to measure
   * peaks from the start.
   */
  snapshots(how?: MetricsAsking): Promise<MetricsSnapshot[]>;
}

type MetricsAsking = 'scrape' | 'look';

interface AskedThread {
  last: MetricsSnapshot;
  answered: PromiseWithResolvers<void>;
}

/** The metrics are those of the thread that starts the threads; it shows how many of them run. */
export function collectThreads(metrics: Metrics): ThreadMetrics {
  const running = new Map<MessagePort, AskedThread>();
  let ended: MetricsSnapshot[] = [];

  return {
    open(thread) {
      const { port1, port2 } = new MessageChannel();
      const asked: AskedThread = { last: [], answered: Promise.withResolvers() };
      running.set(port1, asked);
      metrics.quarry_threads.inc({ thread });
      port1.on('message', (snapshot: MetricsSnapshot) => {
        asked.last = snapshot;
        asked.answered.resolve();
      });
      port1.on('close', () => {
        running.delete(port1);
        metrics.quarry_threads.dec({ thread });
        ended.push(asked.last.filter(isCounted));
        asked.answered.resolve();
      });
      port1.unref();
      return port2;
    },
    async snapshots(how = 'scrape') {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, PATIENCE_MS);
      const asked = [...running].map(([port, thread]) => {
        thread.answered = Promise.withResolvers();
        port.postMessage(how);
        return Promise.race([thread.answered.promise, late.promise]);
      });
      await Promise.all(asked);
      clearTimeout(timer);
      if (ended.length > 1) {
        const some = ended;
        const sum = await merged(some).getMetricsAsJSON();
        ended = [sum, ...ended.slice(some.length)];
      }
      return [...ended, ...[...running.values()].map(({ last }) => last)];
    },
  };
}

/** The library types the type of a metric as a number, and names it in words. */
const isCounted = ({ type }: MetricsSnapshot[number]): boolean => String(type) !== 'gauge';

/** Sends the snapshots of this thread. `within` has those of the threads that it has started. */
export function reportMetrics(
  port: MessagePort,
  metrics: Pick<Metrics, 'snapshot' | 'registry'>,
  { log, within }: { readonly log: Logger; readonly within?: ThreadMetrics },
): { flush(): Promise<void> } {
  async function flush(how: MetricsAsking = 'scrape'): Promise<void> {
    const own = await (how === 'look' ? metrics.registry.getMetricsAsJSON() : metrics.snapshot());
    const others = within ? await within.snapshots(how) : [];
    port.postMessage(others.length === 0 ? own : await merged([own, ...others]).getMetricsAsJSON());
  }
  port.on('message', (how: MetricsAsking) => {
    flush(how).catch((error: unknown) => log.error({ err: error }, 'metrics could not be read'));
  });
  port.unref();
  return { flush };
}
