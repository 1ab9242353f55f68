/**
 * Loaded into the child process before anything else: a thread beside the one that parses, which kills
 * the process when it holds too much memory (the heap limit of V8 does not count buffers and
 * WebAssembly) or when its parent is gone. It works while a parser spins, and however busy the parent.
 *
 * Foreign code must not get hold of this thread, or it would end it. So nothing that it can reach leads here.
 */
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 50;

interface ProcessLimits {
  readonly parent: number;
  readonly bytes: number;
}

/** Settles with the last event of the thread. Foreign code that runs before could see whose event it is. */
export const watching = isMainThread ? watch() : null;

async function watch(): Promise<void> {
  const limits: ProcessLimits = { parent: process.ppid, bytes: Number(process.argv[2]) };
  const watchdog = new Worker(new URL(import.meta.url), {
    workerData: limits,
    // The standard streams of the process would know these, if they were piped there.
    stdout: true,
    stderr: true,
  });
  await once(watchdog, 'online');
  watchdog.unref();
}

if (!isMainThread) {
  // Otherwise an error would end this thread alone, and nobody would watch.
  process.on('uncaughtException', kill);
  const { parent, bytes } = workerData as ProcessLimits;
  setInterval(() => {
    if (process.ppid !== parent || holdsMore(bytes)) kill();
  }, EVERY_MS);
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

function holdsMore(bytes: number): boolean {
  try {
    return process.memoryUsage.rss() > bytes;
  } catch {
    // Reading it takes a file descriptor. A process that has used up all of them cannot be watched.
    return true;
  }
}
