/** Runs seeds on all cores, and stops at the first seed that fails. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { describeFailure, type Failure } from '../random/failure.ts';

export type Asked =
  | { readonly kind: 'run'; readonly seed: number }
  | { readonly kind: 'shrink'; readonly failure: Failure<unknown> }
  | { readonly kind: 'end' };

export interface Told {
  readonly seed: number;
  readonly failure: Failure<unknown> | undefined;
  /** Counts what has happened, by its name. */
  readonly figures: ReadonlyMap<string, number>;
}

/** Plays seeds in threads of its own. */
export interface Player {
  /** The file answers `Asked` by `Told` (serve.ts). */
  readonly thread: URL;
  /** The thread gets this as its `workerData`. */
  readonly data?: unknown;
  /** The pool starts this many threads, or one for each core. */
  readonly threads?: number;
  /** Returns what follows `npm run` in the command that plays this seed again. */
  again(seed: number): string;
}

export const SYNCS: Player = {
  thread: new URL('./thread.ts', import.meta.url),
  again: (seed) => `faults -- --seed ${seed}`,
};

/** Throws an Error that describes the failure of the lowest failing seed, with as few actions as possible. */
export async function runSeeds(
  player: Player,
  seeds: { readonly from: number; readonly count: number },
  passed: (told: Told) => void = () => {},
): Promise<void> {
  // A thread lives for seconds only, so it is faster when code is compiled at its first call.
  setFlagsFromString('--always-sparkplug');
  const failures: Failure<unknown>[] = [];
  let next = seeds.from;
  const end = seeds.from + seeds.count;
  const work = async () => {
    const thread = startThread(player);
    while (next < end && failures.length === 0) {
      const told = await thread.ask({ kind: 'run', seed: next++ });
      if (told.failure) failures.push(told.failure);
      else passed(told);
    }
    await thread.end();
  };
  const threads = player.threads ?? availableParallelism();
  await Promise.all(Array.from({ length: Math.min(threads, seeds.count) }, work));
  const [first] = failures.toSorted((a, b) => a.seed - b.seed);
  if (!first) return;
  const thread = startThread(player);
  const { failure } = await thread.ask({ kind: 'shrink', failure: first });
  await thread.end();
  throw new Error(describeFailure(failure ?? first, player.again(first.seed)));
}

function startThread({ thread: file, data }: Player) {
  // A thread runs no tests, but the test runner would begin the report of its process again, and print it.
  const execArgv = process.execArgv.filter((flag) => !flag.startsWith('--test'));
  const thread = new Worker(file, { workerData: data, execArgv, stdout: true });
  return {
    ask: (asked: Asked) =>
      new Promise<Told>((resolve, reject) => {
        thread.once('error', reject);
        thread.once('message', (told: Told) => {
          thread.off('error', reject);
          resolve(told);
        });
        thread.postMessage(asked);
      }),
    async end() {
      const exit = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage({ kind: 'end' } satisfies Asked);
      await exit;
    },
  };
}
