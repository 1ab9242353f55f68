/**
 * `npm run faults [-- --seeds N] [--from N] [--seed N]` runs the simulator of syncs. `--seed` runs one seed again.
 * It prints a seed that fails with the fewest actions that still make it fail.
 *
 * `npm run faults -- --real [--database sqlite|postgres] [--rounds N] [--seed N]` plays with real processes that are
 * killed, 50 rounds on each database. PostgreSQL is the server that TEST_POSTGRES_URL names, or else one that this
 * script starts.
 *
 * `npm run faults -- --webhooks [--kills N] [--messages N]` delivers to ten endpoints that misbehave, by a process
 * that is killed 20 times during 500 messages, on each database.
 */
import { parseArgs } from 'node:util';
import { DATABASES as TEST_DATABASES } from '../packages/server/src/test/databases.ts';
import { playRounds } from '../packages/server/src/test/e2e/rounds/rounds.ts';
import { describeFailure, runSeeds } from '../packages/server/src/test/faults/pool.ts';
import { postgresPrograms, startPostgres } from '../packages/server/src/test/postgres-server.ts';
import { playKills } from '../packages/server/src/test/webhooks/kills/play.ts';
import { answerHelp } from './help.ts';

const DATABASES = ['sqlite', 'postgres'] as const;

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    real: { type: 'boolean' },
    database: { type: 'string' },
    rounds: { type: 'string' },
    webhooks: { type: 'boolean' },
    kills: { type: 'string' },
    messages: { type: 'string' },
  },
});
const run = values.webhooks ? playWebhooks : values.real ? play : simulate;
process.exitCode = (await run()) ? 0 : 1;

async function simulate(): Promise<boolean> {
  const count = values.seed === undefined ? number(values.seeds ?? '3000') : 1;
  const from = number(values.seed ?? values.from ?? '1');
  const started = performance.now();
  let passed = 0;
  const failure = await runSeeds({ from, count }, () => {
    passed++;
    if (passed % 500 === 0) console.log(`${passed} passed`);
  });
  if (failure) console.error(describeFailure(failure));
  console.log(`${passed} of ${count} seeds passed in ${secondsSince(started)}`);
  return !failure;
}

async function play(): Promise<boolean> {
  const seed = number(values.seed ?? '1');
  const rounds = number(values.rounds ?? '50');
  const databases = values.database === undefined ? DATABASES : [databaseOf(values.database)];
  const given = process.env.TEST_POSTGRES_URL;
  const hasServer = given !== undefined || postgresPrograms() !== undefined;
  const own = given === undefined && hasServer ? await startPostgres() : undefined;
  const server = given ?? own?.url;
  try {
    for (const database of databases) {
      const started = performance.now();
      const { kills, resumed, looks, jobs } = await playRounds({ database, seed, rounds, server });
      console.log(
        `${database}: ${kills} kills, ${resumed} jobs resumed of ${jobs}, ${looks} looks meanwhile, in ${secondsSince(started)}`,
      );
    }
    return true;
  } catch (error) {
    console.error((error as Error).message);
    return false;
  } finally {
    await own?.stop();
  }
}

async function playWebhooks(): Promise<boolean> {
  const kills = number(values.kills ?? '20');
  const messages = number(values.messages ?? '500');
  for (const database of TEST_DATABASES) {
    const started = performance.now();
    const test = await database.open();
    const { url } = test;
    if (url === null) {
      await test.close();
      console.log(`${database.name}: left out, it needs TEST_POSTGRES_URL`);
      continue;
    }
    const { deliveries, duplicates, mostDuplicates } = await playKills(
      { ...test, url },
      { kills, messages },
    );
    console.log(
      `${database.name}: ${kills} kills, ${deliveries} deliveries, ${duplicates} twice (at most ${mostDuplicates}), in ${secondsSince(started)}`,
    );
  }
  return true;
}

function databaseOf(name: string) {
  const known = DATABASES.find((database) => database === name);
  if (!known) throw new Error(`'${name}' is none of ${DATABASES.join(', ')}`);
  return known;
}

function number(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`'${text}' is no number`);
  return value;
}

function secondsSince(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
