/** Runs a seed, and finds the smallest list of its actions that still fails. */
import { type Action, actionsOf } from './actions.ts';
import { type Clock, installClock } from './clock.ts';
import { finish } from './finale.ts';
import { createGrounds, type Ground } from './ground.ts';
import { Violation } from './oracle/violation.ts';
import { play } from './play.ts';
import { Simulation, START } from './simulation.ts';

export interface Failure {
  readonly seed: number;
  /** All failures of one kind have the same rule. */
  readonly rule: string;
  readonly message: string;
  readonly actions: readonly Action[];
}

export interface Runner {
  run(seed: number): Promise<Failure | undefined>;
  /** Returns the same failure with as few actions as possible. */
  shrink(failure: Failure): Promise<Failure>;
  close(): Promise<void>;
}

/** Creates a runner, which replaces the clock of this thread. */
export async function createRunner(): Promise<Runner> {
  const clock = installClock();
  clock.reset(START);
  const grounds = await createGrounds();
  const attempt = async (seed: number, actions: readonly Action[]) =>
    simulate(seed, actions, clock, await grounds.fresh());
  return {
    run: (seed) => attempt(seed, actionsOf(seed)),
    async shrink(failure) {
      let least = failure;
      for (
        let size = Math.ceil(failure.actions.length / 2);
        size >= 1;
        size = Math.floor(size / 2)
      ) {
        for (let at = 0; at < least.actions.length; ) {
          const fewer = least.actions.toSpliced(at, size);
          const again = await attempt(failure.seed, fewer);
          if (again?.rule === failure.rule) least = again;
          else at += size;
        }
      }
      return least;
    },
    close: () => grounds.close(),
  };
}

async function simulate(
  seed: number,
  actions: readonly Action[],
  clock: Clock,
  ground: Ground,
): Promise<Failure | undefined> {
  const simulation = new Simulation(seed, clock, ground);
  try {
    await play(simulation, actions);
    await finish(simulation);
    return undefined;
  } catch (error) {
    const { message, stack } = error as Error;
    const rule = error instanceof Violation ? error.rule : message;
    return {
      seed,
      rule,
      message: error instanceof Violation ? message : (stack ?? message),
      actions,
    };
  } finally {
    await simulation.close();
  }
}
