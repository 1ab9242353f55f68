/**
 * The child process loads this file first. It starts a second thread that kills the process when the process uses too
 * much memory or its parent has ended. The heap limit of V8 is not enough, because it does not count buffers and
 * WebAssembly. The thread also works while the main thread is in an endless loop or the parent is busy.
 *
 * Hostile code must not get a reference to this thread, because it could end the thread. So no object that such code
 * can reach refers to the thread.
 */
import { once } from 'node:events';
import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 50;

interface ProcessLimits {
  readonly parent: number;
  readonly bytes: number;
}

/**
 * The caller must wait for this promise before it runs hostile code. Until then, the main thread receives events of the
 * watchdog's thread, and hostile code could get a reference to the thread from an event.
 */
export const watching = isMainThread ? watch() : null;

/** Searches must not wait for the work of a sync, so this process gives way to them. */
function giveWay(): void {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
}

async function watch(): Promise<void> {
  giveWay();
  const limits: ProcessLimits = { parent: process.ppid, bytes: Number(process.argv[2]) };
  const watchdog = new Worker(new URL(import.meta.url), {
    workerData: limits,
    // Without these options, Node pipes the streams of the thread into the standard streams of the process, and code
    // could reach the thread through these.
    stdout: true,
    stderr: true,
  });
  await once(watchdog, 'online');
  watchdog.unref();
}

if (!isMainThread) {
  // Without this handler, an error would end only this thread, and the process would run unwatched.
  process.on('uncaughtException', kill);
  const { parent, bytes } = workerData as ProcessLimits;
  setInterval(() => {
    if (process.ppid !== parent || usesMoreThan(bytes)) kill();
  }, EVERY_MS);
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

function usesMoreThan(bytes: number): boolean {
  try {
    return process.memoryUsage.rss() > bytes;
  } catch {
    // Reading the memory use needs a file descriptor. A process that has used up all descriptors cannot be watched, so
    // it is killed.
    return true;
  }
}
