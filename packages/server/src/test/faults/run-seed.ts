/** Runs a seed, and finds the smallest list of its actions that still fails. */
import { type Failure, failureOf, withFewestSteps } from '../random/failure.ts';
import { type Action, actionsOf } from './actions.ts';
import { type Clock, installClock } from './clock.ts';
import { finish } from './finale.ts';
import { createGrounds, type Ground } from './ground.ts';
import { play } from './play.ts';
import { Simulation, START } from './simulation.ts';

export interface Runner {
  run(seed: number): Promise<Failure<Action> | undefined>;
  /** Returns the same failure with as few actions as possible. */
  shrink(failure: Failure<Action>): Promise<Failure<Action>>;
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
    shrink: (failure) => withFewestSteps(failure, (fewer) => attempt(failure.seed, fewer)),
    close: () => grounds.close(),
  };
}

async function simulate(
  seed: number,
  actions: readonly Action[],
  clock: Clock,
  ground: Ground,
): Promise<Failure<Action> | undefined> {
  const simulation = new Simulation(seed, clock, ground);
  try {
    await play(simulation, actions);
    await finish(simulation);
    return undefined;
  } catch (error) {
    return failureOf(error, seed, actions);
  } finally {
    await simulation.close();
  }
}
