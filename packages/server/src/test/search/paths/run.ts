/** Plays a number of cases of one path on one database. A failure says how to repeat it. */
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../db/schema.ts';
import { MAX_CONNECTIONS } from '../../../db/sqlite.ts';
import { newId } from '../../../util.ts';
import type { DATABASES } from '../../databases.ts';
import { describeFailure, type Failure, failureOf } from '../../random/failure.ts';
import { libraryOn } from '../library.ts';
import { type Path, play, scenarioDraw } from './play.ts';

/** After this many scenarios a new database is opened, because the tables grow with every collection. */
const SCENARIOS = 10;
/** Each path gets this share of all cases. */
export const SHARES: Readonly<Record<Path, number>> = {
  standard: 0.38,
  agentic: 0.22,
  tools: 0.25,
  assistant: 0.05,
  twins: 0.1,
};
const SHRINKING_MS = 15_000;

export interface Asked {
  readonly path: Path;
  readonly database: (typeof DATABASES)[number];
  readonly cases: number;
  readonly seed: number;
  /** The first scenarios of a seed are the same however many are played. */
  readonly scenarios?: number;
}

/**
 * Returns the number of cases that were played, at least as many as asked for. Throws an Error that describes a failure
 * with as few turns as possible.
 */
export async function runPaths(asked: Asked): Promise<number> {
  const { path, database, cases, seed, scenarios = SCENARIOS } = asked;
  let played = 0;
  for (let round = 0; played < cases; round++) {
    const opened = await database.open();
    const library = libraryOn(opened, database.name, newId());
    if (opened.kind === 'sqlite') await forgetCrashes(opened.db);
    const run = { seed: seed + round, numRuns: scenarios };
    let first: (Failure<unknown> & { readonly at: number }) | undefined;
    const property = fc.asyncProperty(scenarioDraw(path), async (scenario) => {
      if (first && performance.now() > first.at + SHRINKING_MS) return;
      try {
        await play(library, scenario, opened.url !== null);
        played += scenario.turns.length;
      } catch (error) {
        const steps = [...scenario.docs, ...scenario.turns];
        const failure = failureOf(error, run.seed, steps);
        first ??= { ...failure, at: performance.now() };
        // While turns are removed from a failure, another failure must not take its place.
        if (failure.rule === first.rule) throw failure;
      }
    });
    try {
      const { failed, errorInstance } = await fc.check(property, run);
      const command = `paths -- --path ${path} --seed ${run.seed} --cases 1`;
      if (failed) throw new Error(describeFailure(errorInstance as Failure<unknown>, command));
    } finally {
      await library.close();
    }
  }
  return played;
}

/** These tests have no crashes, so no connection needs to wait until its data is on the disk. */
async function forgetCrashes(db: Kysely<Schema>, connections = MAX_CONNECTIONS): Promise<void> {
  if (connections === 0) return;
  await db.connection().execute(async (one) => {
    await sql`pragma synchronous = off`.execute(one);
    await forgetCrashes(db, connections - 1);
  });
}
