/** Measures how late the event loop of this thread is, how busy it is, and how large its heap is. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Metrics } from './metrics.ts';

/** The timer that is measured runs this often. A delay is what a run takes beyond this period. */
const RESOLUTION_MS = 20;
const PERCENTILES = [50, 99, 100];

export function measureEventLoop(metrics: Metrics, thread: string): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let last = performance.eventLoopUtilization();
  metrics.beforeSnapshot(() => {
    for (const share of PERCENTILES) {
      const ms = delay.count === 0 ? 0 : delay.percentile(share) / 1e6 - RESOLUTION_MS;
      metrics.quarry_event_loop_delay_seconds.set(
        { thread, percentile: String(share) },
        Math.max(0, ms) / 1000,
      );
    }
    delay.reset();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    metrics.quarry_event_loop_utilization_ratio.set({ thread }, utilization);
    metrics.quarry_thread_heap_bytes.set({ thread }, getHeapStatistics().used_heap_size);
  });
}
