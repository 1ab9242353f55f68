/**
 * Searches usually run in one thread. While several searches wait for that thread, more threads start, because a search
 * keeps a processor busy. Each thread needs memory for its own copy of the index, so a further thread starts only when
 * it is needed, and ends when it was idle for a while.
 *
 * Greps have a thread of their own, which runs only while there are greps: a regular expression may keep a thread busy
 * for some tenths of a second on each chunk, and searches must not wait for that.
 */
import { withMemoryOf } from '../doctor/join-examinations.ts';
import { type SearchThread, startSearchThread } from './search-client.ts';
import type { Supervision } from './supervise.ts';

/** A further thread starts when every thread has at least this many calls. */
const CALLS_PER_THREAD = 2;
const IDLE_MS = 60_000;

export interface SearchThreadsOptions extends Supervision {
  /** The number of threads for searches is limited to this; the thread of greps is not counted. */
  readonly maxThreads: number;
  /** One thread has at most this many searches at a time. The others wait in front of the threads (http/fair-queue.ts). */
  readonly placesPerThread: number;
  readonly idleMs?: number;
}

export interface SearchThreads extends Omit<SearchThread, 'isReady' | 'waiting'> {
  /** Returns how many searches may run in all threads together now. */
  places(): number;
}

export function startSearchThreads({
  maxThreads,
  placesPerThread,
  idleMs = IDLE_MS,
  ...options
}: SearchThreadsOptions): SearchThreads {
  const { log } = options;
  let limit = maxThreads;
  const first = startSearchThread({
    ...options,
    data: { ...options.data, isWarmed: true, keepsSegments: true },
  });
  let further: SearchThread[] = [];
  /** This is the thread of greps, or undefined while it does not run. */
  let grepThread: SearchThread | undefined;
  /** These threads have received a call since the last call of `endIdle`. */
  const used = new Set<SearchThread>();
  const ending = new Set<Promise<void>>();
  const timer = setInterval(endIdle, idleMs).unref();

  function pick(): SearchThread {
    const all = [first, ...further];
    const ready = all.filter((thread) => thread.isReady());
    const chosen = ready.toSorted((a, b) => a.waiting() - b.waiting())[0] ?? first;
    const areAllBusy = ready.length === all.length && chosen.waiting() >= CALLS_PER_THREAD;
    if (areAllBusy && all.length < limit) {
      log.debug({ threads: all.length + 1 }, 'searches wait for each other: a thread starts');
      startFurther();
    }
    used.add(chosen);
    return chosen;
  }

  /**
   * Starts one more thread. When the thread keeps dying, or the system keeps refusing it, the other threads answer its
   * calls, and no further threads start.
   */
  function startFurther(): void {
    const thread = startSearchThread({
      ...options,
      onGivenUp: (err) => {
        further = further.filter((other) => other !== thread);
        limit = 1 + further.length;
        log.error({ err, threads: limit }, 'a further search thread keeps dying: it is left out');
      },
    });
    further.push(thread);
  }

  function startGrepThread(): SearchThread {
    const thread = startSearchThread({
      ...options,
      onGivenUp: (err) => {
        if (grepThread === thread) grepThread = undefined;
        log.error({ err }, 'the thread of greps keeps dying: the next grep starts another one');
      },
    });
    return thread;
  }

  /**
   * Ends the further threads and the thread of greps if they have received no call since the last call of this
   * function.
   */
  function endIdle(): void {
    const idle = [...further, ...(grepThread ? [grepThread] : [])].filter(
      (thread) => thread.isReady() && thread.waiting() === 0 && !used.has(thread),
    );
    further = further.filter((thread) => !idle.includes(thread));
    if (grepThread && idle.includes(grepThread)) grepThread = undefined;
    used.clear();
    for (const thread of idle) {
      const ended = thread.stop().finally(() => ending.delete(ended));
      ending.add(ended);
    }
  }

  return {
    search: { search: (request, signal) => pick().search.search(request, signal) },
    agent: { run: (request, tell, signal) => pick().agent.run(request, tell, signal) },
    async examine(request, signal) {
      const threads = [first, ...further.filter((thread) => thread.isReady())];
      const examinations = await Promise.all(
        threads.map(({ examine }) => examine(request, signal)),
      );
      return examinations.reduce(withMemoryOf);
    },
    grep(request, signal) {
      grepThread ??= startGrepThread();
      used.add(grepThread);
      return grepThread.grep(request, signal);
    },
    places: () =>
      placesPerThread *
      Math.max(1, [first, ...further].filter((thread) => thread.isReady()).length),
    async stop() {
      clearInterval(timer);
      const all = [first, ...further, ...(grepThread ? [grepThread] : [])];
      await Promise.all(all.map((thread) => thread.stop()).concat(...ending));
    },
  };
}
