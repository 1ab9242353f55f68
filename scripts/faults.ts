/**
 * `npm run faults [-- --seeds N] [--from N] [--seed N]` runs the simulator of syncs. `--seed` runs one seed again.
 * It prints a seed that fails with the fewest actions that still make it fail.
 *
 * `npm run faults -- --sources [--source notion] [--database sqlite|postgres] [--seeds N] [--from N] [--seed N]` plays
 * with the connectors: companies in the fakes of their services change, and requests fail. It plays 1,000 seeds, with
 * each source in turn.
 *
 * `npm run faults -- --real [--database sqlite|postgres] [--rounds N] [--seed N]` plays with real processes that are
 * killed, 50 rounds on each database. PostgreSQL is the server that TEST_POSTGRES_URL names, or else one that this
 * script starts.
 *
 * `npm run faults -- --webhooks [--kills N] [--messages N]` delivers to ten endpoints that misbehave, by a process
 * that is killed 20 times during 500 messages, on each database.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DATABASES } from '../packages/server/src/test/databases.ts';
import { playRounds } from '../packages/server/src/test/e2e/rounds/rounds.ts';
import { runSeeds, SYNCS } from '../packages/server/src/test/faults/pool.ts';
import { playerOf, sourceOf } from '../packages/server/src/test/faults/sources/player.ts';
import { postgresPrograms, startPostgres } from '../packages/server/src/test/postgres-server.ts';
import { CLOUDS } from '../packages/server/src/test/sources/clouds.ts';
import { playKills } from '../packages/server/src/test/webhooks/kills/play.ts';
import { must } from '../packages/server/src/util.ts';
import { numberOf, oneOf, report } from './arguments.ts';
import { answerHelp, tellProgress } from './help.ts';
import { makeTemporary } from './temporary.ts';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    sources: { type: 'boolean' },
    source: { type: 'string' },
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
if (values.webhooks) await playWebhooks();
else if (values.real) await playReal();
else if (values.sources) await playSources();
else await report(simulate);

async function simulate(): Promise<string> {
  const isOne = values.seed !== undefined;
  const count = isOne ? 1 : number('seeds', 3000);
  const from = number(isOne ? 'seed' : 'from', 1);
  let passed = 0;
  await runSeeds(SYNCS, { from, count }, () => {
    passed++;
    if (passed % 500 === 0) console.log(`${passed} passed`);
  });
  return `${passed} of ${count} seeds passed`;
}

function databases() {
  const names = DATABASES.map(({ name }) => name);
  return values.database === undefined ? names : [oneOf(names, values.database)];
}

/** Starts the PostgreSQL that is installed on this machine, unless TEST_POSTGRES_URL names a server. */
async function ownPostgres() {
  const given = process.env.TEST_POSTGRES_URL;
  return given === undefined && postgresPrograms() ? startPostgres() : undefined;
}

async function playSources(): Promise<void> {
  const names = Object.keys(CLOUDS);
  const played = {
    sources: values.source === undefined ? names : [oneOf(names, values.source)],
    databases: databases(),
  };
  const temporary = makeTemporary();
  const own = played.databases.includes('postgres') ? await ownPostgres() : undefined;
  if (own) process.env.TEST_POSTGRES_URL = own.url;
  await report(async () => {
    const started = performance.now();
    const isOne = values.seed !== undefined;
    const count = isOne ? 1 : number('seeds', 1000);
    const from = number(isOne ? 'seed' : 'from', 0);
    const figures = new Map<string, Map<string, number>>(names.map((name) => [name, new Map()]));
    let passed = 0;
    const rate = () => {
      const minutes = (performance.now() - started) / 60_000;
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / 1e6 / passed;
      return `${(passed / minutes).toFixed(0)} a minute, ${seconds.toFixed(2)} s of processor time each`;
    };
    await runSeeds(playerOf(played), { from, count }, (told) => {
      passed++;
      if (passed % 50 === 0) tellProgress(`${passed} passed, ${rate()}`);
      const sums = must(figures.get(sourceOf(played, told.seed)));
      for (const [name, times] of [['seeds', 1] as const, ...told.figures])
        sums.set(name, (sums.get(name) ?? 0) + times);
    });
    for (const [name, sums] of figures)
      if (sums.size > 0)
        console.log(`${name}: ${[...sums].map(([what, times]) => `${times} ${what}`).join(', ')}`);
    const on = played.databases.join(' and ');
    return `${passed} of ${count} seeds passed on ${on}, ${rate()},`;
  });
  await own?.stop();
  rmSync(temporary, { recursive: true, force: true });
}

async function playReal(): Promise<void> {
  const seed = number('seed', 1);
  const rounds = number('rounds', 50);
  const own = await ownPostgres();
  const server = process.env.TEST_POSTGRES_URL ?? own?.url;
  for (const database of databases())
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
