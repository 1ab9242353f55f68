/** Declares the cases that the tests play on each database. */
import { describe, it } from 'node:test';
import { DATABASES } from '../../databases.ts';
import { isSmokeEnough } from '../../tier.ts';
import type { Path } from './play.ts';
import { runPaths, SHARES } from './run.ts';

const CASES = { sqlite: 1000, postgres: 50 } as const;
/** One test has at most this many cases, so that it ends in a few seconds. */
const MOST = 500;
/** The first seeds of two tests differ by this. Within a test, the seed goes up by one after every few scenarios. */
const SEEDS = 1000;

/** In `npm test`, PostgreSQL plays this many scenarios of a seed: one takes long there, and has 25 cases on average. */
const FEW_SCENARIOS = 1;

export function declarePath(path: Path, claim: string): void {
  describe(claim, () => {
    for (const database of DATABASES) {
      const cases = Math.ceil(CASES[database.name] * SHARES[path]);
      for (let from = 0; from < cases; from += MOST) {
        const some = Math.min(MOST, cases - from);
        const seed = 1 + (from / MOST) * SEEDS;
        it(`${some} cases from seed ${seed} on ${database.name}`, async () => {
          await runPaths({
            ...{ path, database, seed, cases: some },
            ...(isSmokeEnough(database) && { scenarios: FEW_SCENARIOS }),
          });
        });
      }
    }
  });
}
