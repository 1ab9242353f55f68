/**
 * A limited process is a child process for code or data that may be hostile. It has no environment variables but those
 * of its allocator and its zone, UTC. It may read only the given files, may neither write files nor start processes, and
 * is limited in time and memory. It works on one request at a time; several processes may work beside each other. When a request breaks a limit, its process is killed;
 * other requests are not affected, because the next request gets a new process.
 *
 * Four things enforce this: the permission model of Node, `lockdown.ts`, `watchdog.ts`, and a limit of the operating
 * system on the size of files.
 */
import type { Writable } from 'node:stream';
import pLimit from 'p-limit';
import { z } from 'zod';
import { must } from '../util.ts';
import { frame, type Incoming, PROGRESS } from './frames.ts';
import { ProcessBroke } from './process-broke.ts';
import {
  type Child,
  isAlive,
  kill,
  MAX_ANSWER_BYTES,
  type ProcessStart,
  start,
} from './start-process.ts';

/** A process without a request for this time is ended. */
const IDLE_MS = 30_000;

export interface ProcessOptions<Outcome> extends ProcessStart {
  /** Hostile code can write to the channel of the answers, so each answer is checked with this schema. */
  readonly outcome: z.ZodType<Outcome>;
  /** A request may take this time, and a request that makes progress may take it again each time. */
  readonly timeoutMs: number;
  /** With all of its progress, a request may take this time; `timeoutMs` if it is left out. */
  readonly longestMs?: number;
  /** The process is replaced by a new one after this many requests, so that memory leaks do not add up. */
  readonly requestsPerProcess: number;
  /** At most this many processes work at once, each on one request; 1 if it is left out. */
  readonly processes?: number;
}

export interface LimitedProcess<Request, Outcome> {
  /**
   * Runs one request. `feed` writes the bytes after the request to the standard input of the process. Throws
   * ProcessBroke.
   */
  run(request: Request, signal: AbortSignal, feed?: Feed): Promise<Outcome>;
  close(): Promise<void>;
}

/** A feed must stop when `settled` aborts, because then the process does not read any more. */
type Feed = (input: Writable, settled: AbortSignal) => Promise<void>;

export function createLimitedProcess<Request extends object, Outcome>(
  options: ProcessOptions<Outcome>,
): LimitedProcess<Request, Outcome> {
  const { processes = 1 } = options;
  const limit = pLimit(processes);
  const closing = new AbortController();
  const unsettled = new Set<Promise<Outcome>>();
  const slots = Array.from({ length: processes }, (): Slot => ({ child: null, idle: undefined }));
  /** The slot that was used last is taken first, so that no more processes run than the requests need. */
  const free = [...slots];

  async function work(request: Request, signal: AbortSignal, feed: Feed | undefined) {
    signal.throwIfAborted();
    const slot = must(free.pop());
    try {
      return await workIn(slot, { request, signal, feed });
    } finally {
      free.push(slot);
    }
  }

  async function workIn(slot: Slot, one: Exchange): Promise<Outcome> {
    clearTimeout(slot.idle);
    if (!slot.child || !isAlive(slot.child.process)) slot.child = await start(options, one.signal);
    const current = slot.child;
    try {
      const { rss, outcome } = await exchange(current, one, options);
      const isWorn =
        ++current.requests >= options.requestsPerProcess ||
        rss > (options.memoryMb / 2) * 1024 * 1024;
      if (isWorn) await retire(slot);
      else slot.idle = setTimeout(() => void retire(slot), IDLE_MS).unref();
      return outcome;
    } catch (error) {
      await retire(slot);
      throw error;
    }
  }

  return {
    run(request, signal, feed) {
      const running = limit(work, request, AbortSignal.any([signal, closing.signal]), feed);
      unsettled.add(running);
      return running.finally(() => unsettled.delete(running));
    },
    async close() {
      closing.abort(new Error('the limited process was closed'));
      // A request may just be starting its process.
      await Promise.allSettled(unsettled);
      await Promise.all(slots.map(retire));
    },
  };
}

/** A slot has a process while it is used, and for a while after that. */
interface Slot {
  child: Child | null;
  idle: NodeJS.Timeout | undefined;
}

async function retire(slot: Slot): Promise<void> {
  clearTimeout(slot.idle);
  const old = slot.child;
  slot.child = null;
  if (old) await kill(old.process);
}

interface ProcessAnswer<Outcome> {
  /** `rss` is the memory that the process uses, in bytes. */
  readonly rss: number;
  readonly outcome: Outcome;
}

interface Exchange {
  readonly request: object;
  readonly feed: Feed | undefined;
  readonly signal: AbortSignal;
}

/** Only somebody outside sends these: a person or the system that stops the service. The lockdown removes them inside. */
const STOPS: ReadonlySet<string> = new Set(['SIGHUP', 'SIGINT', 'SIGTERM']);

function exchange<Outcome>(
  { process: child, requestsTo, answers }: Child,
  { request, feed, signal }: Exchange,
  { timeoutMs, longestMs = timeoutMs, memoryMb, outcome }: ProcessOptions<Outcome>,
): Promise<ProcessAnswer<Outcome>> {
  // The signal may have aborted while the process was starting. A listener that is added after that is never called.
  signal.throwIfAborted();
  const settled = new AbortController();
  const answer = new Promise<ProcessAnswer<Outcome>>((resolve, reject) => {
    const limit = (ms: number) =>
      setTimeout(() => reject(new ProcessBroke('time', `took more than ${ms / 1000} s`)), ms);
    const timers = { step: limit(timeoutMs), whole: limit(longestMs) };
    const onExit = (code: number | null, name: string | null) =>
      reject(
        // The process was killed by its watchdog, by the operating system, or by V8 at the end of its heap.
        name === 'SIGKILL' || name === 'SIGABRT' || code === 134
          ? new ProcessBroke('memory', `took more than ${memoryMb} MB of memory`)
          : new ProcessBroke(STOPS.has(name ?? '') ? 'gone' : 'exit', `ended with ${name ?? code}`),
      );
    child.once('exit', onExit);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    settled.signal.addEventListener('abort', () => {
      clearTimeout(timers.step);
      clearTimeout(timers.whole);
      signal.removeEventListener('abort', onAbort);
      child.off('exit', onExit);
    });
    answerOf(answers, () => timers.step.refresh()).then(
      (message) => {
        // The stream has ended. The handlers above find out why.
        if (message === null) return;
        const [reported, parsed] = [ReportedMemory.safeParse(message), outcome.safeParse(message)];
        if (!reported.success) reject(brokenAnswer(reported.error));
        else if (!parsed.success) reject(brokenAnswer(parsed.error));
        else resolve({ rss: reported.data.rss, outcome: parsed.data });
      },
      (cause) => reject(brokenAnswer(cause)),
    );
    requestsTo.write(frame(request));
    if (feed) feed(requestsTo, settled.signal).catch(reject);
  });
  return answer.finally(() => settled.abort());
}

/** Returns the message after those that report progress, or null when the stream ends. */
async function answerOf(answers: Incoming, onProgress: () => void): Promise<unknown> {
  for (;;) {
    const message = await answers.message(MAX_ANSWER_BYTES);
    if (!Progress.safeParse(message).success) return message;
    onProgress();
  }
}

const Progress = z.strictObject({ isWorking: z.literal(PROGRESS.isWorking) });

/** `serve.ts` adds these fields to every answer. */
const ReportedMemory = z.object({ rss: z.number() });

const brokenAnswer = (cause?: unknown) =>
  new ProcessBroke('exit', 'gave an answer that cannot be used', cause);
