/** Runs seeds on all cores, and stops at the first seed that fails. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { describeFailure, type Failure } from '../random/failure.ts';
import type { Action } from './actions.ts';

export type Asked =
  | { readonly kind: 'run'; readonly seed: number }
  | { readonly kind: 'shrink'; readonly failure: Failure<Action> }
  | { readonly kind: 'end' };

export interface Told {
  readonly seed: number;
  readonly failure: Failure<Action> | undefined;
}

/** Throws an Error that describes the failure of the lowest failing seed, with as few actions as possible. */
export async function runSeeds(
  seeds: { readonly from: number; readonly count: number },
  passed: (seed: number) => void = () => {},
): Promise<void> {
  // A thread lives for seconds only, so it is faster when code is compiled at its first call.
  setFlagsFromString('--always-sparkplug');
  const failures: Failure<Action>[] = [];
  let next = seeds.from;
  const end = seeds.from + seeds.count;
  const work = async () => {
    const thread = startThread();
    while (next < end && failures.length === 0) {
      const { seed, failure } = await thread.ask({ kind: 'run', seed: next++ });
      if (failure) failures.push(failure);
      else passed(seed);
    }
    await thread.end();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), seeds.count) }, work));
  const [first] = failures.toSorted((a, b) => a.seed - b.seed);
  if (!first) return;
  const thread = startThread();
  const { failure } = await thread.ask({ kind: 'shrink', failure: first });
  await thread.end();
  throw new Error(describeFailure(failure ?? first, `faults -- --seed ${first.seed}`));
}

function startThread() {
  const thread = new Worker(new URL('./thread.ts', import.meta.url));
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
