/**
 * Asks `/health/live` on a connection of its own in a thread of its own, so that the work of the clients in this process
 * does not count as time of the service. It sends its times when it is told to end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { connection } from './request.ts';

const EVERY_MS = 20;
const { send, close } = connection(workerData as string);
const times: number[] = [];
const failures: string[] = [];
let isRunning = true;
parentPort?.once('message', () => {
  isRunning = false;
});
while (isRunning) {
  try {
    const { status, ms, text } = await send({ method: 'GET', path: '/health/live' });
    if (status === 200) times.push(ms);
    else failures.push(`${status} ${text}`);
  } catch (error) {
    failures.push(String(error));
  }
  await sleep(EVERY_MS);
}
close();
parentPort?.postMessage({ times, failures });
