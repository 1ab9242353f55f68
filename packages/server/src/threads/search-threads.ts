/**
 * Searches run in one thread as a rule, and in more threads while they wait for each other there: a search is work
 * for a processor. A further thread takes memory and reads the index again, so it starts only when it is needed, and
 * ends when it has had nothing to do for a while.
 *
 * Greps have a thread of their own, which exists only while there are greps: an expression may keep a thread busy for
 * some tenths of a second on each chunk, and no search may wait for that.
 */
import { withMemoryOf } from '../doctor/examine.ts';
import { type SearchThread, type SearchThreadOptions, startSearchThread } from './search-client.ts';

/** When even the least busy thread has this many calls, a further thread is worth its start. */
const BUSY = 2;
const IDLE_MS = 60_000;

export interface SearchThreadsOptions extends SearchThreadOptions {
  readonly most: number;
  readonly idleMs?: number;
}

export function startSearchThreads({
  most,
  idleMs = IDLE_MS,
  ...options
}: SearchThreadsOptions): Omit<SearchThread, 'isReady' | 'waiting'> {
  const { log } = options;
  let limit = most;
  const first = startSearchThread(options);
  let further: SearchThread[] = [];
  /** This thread answers greps. It is undefined while no such thread runs. */
  let reader: SearchThread | undefined;
  /** These threads were used since the last round of `endIdle`. */
  const used = new Set<SearchThread>();
  const ending = new Set<Promise<void>>();
  const rounds = setInterval(endIdle, idleMs).unref();

  function pick(): SearchThread {
    const all = [first, ...further];
    const ready = all.filter((thread) => thread.isReady());
    const chosen = ready.toSorted((a, b) => a.waiting() - b.waiting())[0] ?? first;
    const areAllBusy = ready.length === all.length && chosen.waiting() >= BUSY;
    if (areAllBusy && all.length < limit) {
      log.debug({ threads: all.length + 1 }, 'searches wait for each other: a thread starts');
      startFurther();
    }
    used.add(chosen);
    return chosen;
  }

  /** When the further thread cannot live, the other threads answer its calls, and their number becomes the limit. */
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

  function startReader(): SearchThread {
    const thread = startSearchThread({
      ...options,
      onGivenUp: (err) => {
        if (reader === thread) reader = undefined;
        log.error({ err }, 'the thread of greps keeps dying: the next grep starts another one');
      },
    });
    return thread;
  }

  /** Ends the further threads and the thread of greps when they have received no call since the last round. */
  function endIdle(): void {
    const idle = [...further, ...(reader ? [reader] : [])].filter(
      (thread) => thread.isReady() && thread.waiting() === 0 && !used.has(thread),
    );
    further = further.filter((thread) => !idle.includes(thread));
    if (reader && idle.includes(reader)) reader = undefined;
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
      const there = [first, ...further.filter((thread) => thread.isReady())];
      const looked = await Promise.all(there.map(({ examine }) => examine(request, signal)));
      return looked.reduce(withMemoryOf);
    },
    grep(request, signal) {
      reader ??= startReader();
      used.add(reader);
      return reader.grep(request, signal);
    },
    async stop() {
      clearInterval(rounds);
      const all = [first, ...further, ...(reader ? [reader] : [])];
      await Promise.all(all.map((thread) => thread.stop()).concat(...ending));
    },
  };
}
