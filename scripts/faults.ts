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
import { DATABASES } from '../packages/server/src/test/databases.ts';
import { playRounds } from '../packages/server/src/test/e2e/rounds/rounds.ts';
import { runSeeds } from '../packages/server/src/test/faults/pool.ts';
import { postgresPrograms, startPostgres } from '../packages/server/src/test/postgres-server.ts';
import { playKills } from '../packages/server/src/test/webhooks/kills/play.ts';
import { numberOf, oneOf, report } from './arguments.ts';
import { answerHelp } from './help.ts';

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
const number = (name: 'seeds' | 'from' | 'seed' | 'rounds' | 'kills' | 'messages', usual: number) =>
  numberOf(values[name] ?? String(usual));
await (values.webhooks ? playWebhooks() : values.real ? playReal() : report(simulate));

async function simulate(): Promise<string> {
  const isOne = values.seed !== undefined;
  const count = isOne ? 1 : number('seeds', 3000);
  const from = number(isOne ? 'seed' : 'from', 1);
  let passed = 0;
  await runSeeds({ from, count }, () => {
    passed++;
    if (passed % 500 === 0) console.log(`${passed} passed`);
  });
  return `${passed} of ${count} seeds passed`;
}

async function playReal(): Promise<void> {
  const names = DATABASES.map(({ name }) => name);
  const seed = number('seed', 1);
  const rounds = number('rounds', 50);
  const given = process.env.TEST_POSTGRES_URL;
  const hasServer = given !== undefined || postgresPrograms() !== undefined;
  const own = given === undefined && hasServer ? await startPostgres() : undefined;
  const server = given ?? own?.url;
  for (const database of values.database === undefined ? names : [oneOf(names, values.database)])
    await report(async () => {
      const { kills, resumed, looks, jobs } = await playRounds({ database, seed, rounds, server });
      return `${database}: ${kills} kills, ${resumed} jobs resumed of ${jobs}, ${looks} looks meanwhile,`;
    });
  await own?.stop();
}

async function playWebhooks(): Promise<void> {
  const kills = number('kills', 20);
  const messages = number('messages', 500);
  for (const database of DATABASES)
    await report(async () => {
      const test = await database.open();
      const { url } = test;
      if (url === null) {
        await test.close();
        return `${database.name}: left out, because it needs TEST_POSTGRES_URL,`;
      }
      const { deliveries, duplicates, mostDuplicates } = await playKills(
        { ...test, url },
        { kills, messages },
      );
      return `${database.name}: ${kills} kills, ${deliveries} deliveries, ${duplicates} twice (at most ${mostDuplicates}),`;
    });
}
