/** Plays the seeds that the pool sends to this thread. */
import { parentPort } from 'node:worker_threads';
import { must } from '../../util.ts';
import { type Failure, withFewestSteps } from '../random/failure.ts';
import type { Asked, Told } from './pool.ts';

export interface Runner<Step> {
  stepsOf(seed: number): readonly Step[];
  /** Counts in `figures` what happens, by its name. */
  play(
    seed: number,
    steps: readonly Step[],
    figures: Map<string, number>,
  ): Promise<Failure<Step> | undefined>;
  close(): Promise<void>;
}

export function serve<Step>(runner: Runner<Step>): void {
  const port = must(parentPort);
  port.on('message', async (asked: Asked) => {
    if (asked.kind === 'end') {
      await runner.close();
      port.close();
      return;
    }
    const figures = new Map<string, number>();
    const play = (seed: number, steps: readonly Step[]) => runner.play(seed, steps, figures);
    const tell = (seed: number, failure: Failure<Step> | undefined) =>
      port.postMessage({ seed, failure, figures } satisfies Told);
    if (asked.kind === 'run')
      return tell(asked.seed, await play(asked.seed, runner.stepsOf(asked.seed)));
    const { seed } = asked.failure;
    const failure = asked.failure as Failure<Step>;
    tell(seed, await withFewestSteps(failure, (fewer) => play(seed, fewer)));
  });
}
