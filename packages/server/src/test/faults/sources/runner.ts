/** Plays seeds with the sources and databases that its thread gets, one after the other in turn. */
import { must } from '../../../util.ts';
import { DATABASES } from '../../databases.ts';
import { failureOf } from '../../random/failure.ts';
import { skipWaits } from '../../skip-waits.ts';
import { restartWords } from '../../sources/cloud-company.ts';
import { openCloudQuarry, PAUSE_MS } from '../../sources/cloud-stage.ts';
import { CLOUDS, type Cloud } from '../../sources/clouds.ts';
import { dateOf } from '../clock.ts';
import type { Runner } from '../serve.ts';
import { type Ground, play } from './play.ts';
import { databaseOf, type PlayedSources, sourceOf } from './player.ts';
import { openRowLog } from './row-log.ts';
import { type Step, stepsOf } from './steps.ts';

/** A Quarry is used for this many seeds, because it takes longer to open one than to play a seed. */
const SEEDS_OF_GROUND = 100;

interface UsedGround {
  readonly ground: Ground;
  seeds: number;
}

export async function createRunner(played: PlayedSources): Promise<Runner<Step>> {
  const clock = passingClock();
  // The waits of the kit are skipped, and the clock moves by their length.
  skipWaits(PAUSE_MS, clock.pass);
  const grounds = new Map<string, UsedGround>();
  const clouds = new Map<string, Cloud>();
  for (const name of played.sources) clouds.set(name, await must(CLOUDS[name])());
  const all = [...clouds.values()].map(({ source }) => source);

  async function groundOf(name: string): Promise<Ground> {
    const used = grounds.get(name);
    if (used && used.seeds++ < SEEDS_OF_GROUND) return used.ground;
    grounds.delete(name);
    await used?.ground.quarry.close();
    const database = await must(DATABASES.find((one) => one.name === name)).open();
    const rows = await openRowLog(database.db, database.kind);
    const ground = { ...(await openCloudQuarry(database, all)), rows, pass: clock.pass };
    grounds.set(name, { ground, seeds: 1 });
    return ground;
  }

  return {
    stepsOf,
    async play(seed, steps, figures) {
      const database = databaseOf(played, seed);
      const ground = await groundOf(database);
      restartWords();
      try {
        await play(must(clouds.get(sourceOf(played, seed))), ground, { steps, figures });
        return undefined;
      } catch (error) {
        // This seed may have left a job behind, which must not disturb the next one.
        grounds.delete(database);
        await ground.quarry.close();
        return failureOf(error, seed, steps);
      }
    },
    async close() {
      for (const { ground } of grounds.values()) await ground.quarry.close();
    },
  };
}

/** Replaces the clock of this thread by one that also moves when it is told to. */
function passingClock() {
  const real = Date.now;
  let passed = 0;
  const clock = {
    get now() {
      return real() + passed;
    },
    pass(ms: number) {
      // The times of a real clock are whole milliseconds.
      passed += Math.ceil(ms);
    },
  };
  Object.assign(globalThis, { Date: dateOf(clock) });
  return clock;
}
