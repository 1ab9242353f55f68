/**
 * The file is loaded into the child process before anything else. It starts a thread beside the one that parses,
 * which kills the process when it holds too much memory (the heap limit of V8 does not count buffers and
 * WebAssembly) or when its parent is gone. The thread works while a parser spins, and however busy the parent is.
 *
 * Foreign code must not get hold of this thread, because it could end the thread. So nothing that
 * foreign code can reach leads here.
 */
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 50;

interface ProcessLimits {
  readonly parent: number;
  readonly bytes: number;
}

/**
 * Settles with the last event of the thread. Foreign code that runs before could see to
 * which thread the event belongs.
 */
export const watching = isMainThread ? watch() : null;

async function watch(): Promise<void> {
  const limits: ProcessLimits = { parent: process.ppid, bytes: Number(process.argv[2]) };
  const watchdog = new Worker(new URL(import.meta.url), {
    workerData: limits,
    // Without these options the streams of the thread would be piped into the standard streams of the process,
    // which would then hold references to them.
    stdout: true,
    stderr: true,
  });
  await once(watchdog, 'online');
  watchdog.unref();
}

if (!isMainThread) {
  // Without this handler an error would end only this thread, and nothing would watch the process.
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
    // Reading the memory needs a file descriptor, and a process that has used up all of them cannot be watched.
    return true;
  }
}
