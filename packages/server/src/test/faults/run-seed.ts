/** Plays a seed, or a part of its actions. */
import { type Failure, failureOf } from '../random/failure.ts';
import { type Action, actionsOf } from './actions.ts';
import { type Clock, installClock } from './clock.ts';
import { finish } from './finale.ts';
import { createGrounds, type Ground } from './ground.ts';
import { play } from './play.ts';
import type { Runner } from './serve.ts';
import { Simulation, START } from './simulation.ts';

/** Creates a runner, which replaces the clock of this thread. */
export async function createRunner(): Promise<Runner<Action>> {
  const clock = installClock();
  clock.reset(START);
  const grounds = await createGrounds();
  return {
    stepsOf: actionsOf,
    play: async (seed, actions) => simulate(seed, actions, clock, await grounds.fresh()),
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
