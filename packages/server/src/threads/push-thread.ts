/**
 * This is the entry of the thread that reads, packs and stores pushes, on a database connection of its own. A commit waits
 * for the disk, and a large body takes a tenth of a second of the processor; other requests must wait for neither.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { databaseUrl } from '../db/address.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { createPushIntake, type PushOrder } from '../syncs/pushes/intake.ts';
import { measureEventLoop } from '../telemetry/event-loop.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { reportMetrics } from '../telemetry/thread-metrics.ts';
import { poolSizes } from '../thread-settings.ts';
import { must } from '../util.ts';
import { toCarried } from './carried-error.ts';
import type { ThreadData } from './protocol.ts';
import type { PushCall, PushReply } from './push-messages.ts';
import { createThreadLog } from './thread-log.ts';

const data = workerData as ThreadData;
const { config } = data;
const port = must(parentPort, 'this file is the entry of a thread');
const url = databaseUrl(config);
const db = connect(url, { poolSize: poolSizes(config).pushes, maxConnections: 1 });
const metrics = createMetrics();
const log = createThreadLog(data, port);
if (config.QUARRY_METRICS_PORT !== undefined) measureEventLoop(metrics, 'pushes');
const reporting = reportMetrics(data.metricsPort, metrics, { log });
const store = createPushIntake(db, databaseKind(url));
const running = new Set<Promise<void>>();

port.on('message', async (message: PushCall | 'stop') => {
  if (message === 'stop') {
    await Promise.all(running);
    await reporting.flush();
    await db.destroy();
    port.close();
    return;
  }
  const answered = reply(message.id, message.order).finally(() => running.delete(answered));
  running.add(answered);
});

async function reply(id: number, order: PushOrder): Promise<void> {
  const answer: PushReply = await store(order).then<PushReply, PushReply>(
    (job) => ({ id, job }),
    (error: unknown) => ({ id, error: toCarried(error) }),
  );
  port.postMessage(answer);
}
