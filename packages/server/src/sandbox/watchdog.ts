/**
 * Loaded into the child process before anything else: a thread beside the one that parses, which kills
 * the process when it holds too much memory (the heap limit of V8 does not count buffers and
 * WebAssembly) or when its parent is gone. It works while a parser spins, and however busy the parent.
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 50;

interface Limits {
  readonly parent: number;
  readonly bytes: number;
}

if (isMainThread) {
  const limits: Limits = { parent: process.ppid, bytes: Number(process.argv[2]) };
  new Worker(new URL(import.meta.url), { workerData: limits }).unref();
} else {
  const { parent, bytes } = workerData as Limits;
  setInterval(() => {
    if (process.ppid !== parent || holdsMore(bytes)) process.kill(process.pid, 'SIGKILL');
  }, EVERY_MS);
}

function holdsMore(bytes: number): boolean {
  try {
    return process.memoryUsage.rss() > bytes;
  } catch {
    // Reading it takes a file descriptor. A process that has used up all of them cannot be watched, and
    // an error thrown here would end this thread alone.
    return true;
  }
}
