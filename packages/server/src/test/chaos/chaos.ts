/** Sets the stage for cycles of chaos, and plays them until their time is over. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { createDatabase, databaseAt } from '../databases.ts';
import { tempDir } from '../e2e/process.ts';
import { folder } from '../e2e/rounds/places.ts';
import { startNginx } from '../nginx-server.ts';
import { sessionName, startPgbouncer } from '../pgbouncer-server.ts';
import { PostgresPair } from '../postgres-pair.ts';
import { describeFailure, failureOf } from '../random/failure.ts';
import { random } from '../random/random.ts';
import { Gateway } from './gateway.ts';
import { MACHINES, Machines } from './machines.ts';
import { Cycle, type Lengths, type Stage, type Tally } from './play.ts';

const LOG_LINES = 80;
/** The places have so many files. */
const SIZES = [120, 60];

export interface Chaos {
  readonly seed: number;
  readonly minutes: number;
  readonly tell: (text: string) => void;
}

export interface ChaosFigures {
  readonly tally: Tally;
  readonly phases: Gateway['figures'];
}

/** Throws an Error that tells what is wrong, and what was logged last. */
export async function playChaos({ seed, minutes, tell }: Chaos): Promise<ChaosFigures> {
  const end = performance.now() + minutes * 60_000;
  const dir = tempDir();
  const closing: (() => Promise<void> | void)[] = [() => dir.remove()];
  const tally: Tally = {
    ...{ cycles: 0, restarts: 0, kills: 0, sleeps: 0, jobs: 0, looks: 0 },
    ...{ streams: 0, streamsOpenedAgain: 0, outages: [] },
  };
  let stage: Stage | undefined;
  try {
    stage = await openStage(dir.path, closing);
    tell('the machines run');
    // A long play has ten minutes of kills once, and short ones otherwise.
    for (let cycle = 1; cycle === 1 || performance.now() < end; cycle++) {
      const lengths = lengthsOf(minutes, cycle);
      const places = SIZES.map((size, i) => {
        const path = join(dir.path, 'world', `${cycle}-${i}`);
        mkdirSync(path, { recursive: true });
        return folder(path, size);
      });
      const options = { stage, places, tally, tell };
      const chance = random(seed * 1000 + cycle);
      const playing = await Cycle.begin(options, chance);
      await playing.run(chance, lengths);
      tell(`cycle ${cycle} is over`);
    }
    return { tally, phases: stage.gateway.figures };
  } catch (error) {
    const failure = failureOf(error, seed, stage?.machines.log(LOG_LINES) ?? []);
    throw new Error(describeFailure(failure, `chaos -- --minutes ${minutes} --seed ${seed}`), {
      cause: error,
    });
  } finally {
    // An error that is thrown here would hide that of the play.
    for (const close of closing.toReversed())
      try {
        await close();
      } catch (error) {
        // An error that is thrown here would hide that of the play.
        tell(`not closed: ${(error as Error).message}`);
      }
  }
}

const lengthsOf = (minutes: number, cycle: number): Lengths =>
  minutes >= 30
    ? { killMs: cycle === 1 ? 600_000 : 60_000, sleepMs: 60_000 }
    : { killMs: 20_000, sleepMs: 35_000 };

async function openStage(path: string, closing: (() => Promise<void> | void)[]): Promise<Stage> {
  const database = await PostgresPair.start();
  closing.push(() => database.stop());
  const { name, url } = await createDatabase(database.url);
  const db = connect(url);
  await migrate(db, 'postgres');
  await db.destroy();
  const pooler = await startPgbouncer(database.url, { withSessions: name });
  closing.push(() => pooler.stop());
  mkdirSync(join(path, 'world'));
  const machines = await Machines.of({
    path,
    databaseUrl: databaseAt(pooler.url, name),
    directUrl: databaseAt(pooler.url, sessionName(name)),
    filesRoot: join(path, 'world'),
  });
  closing.push(() => machines.killAll());
  for (const machine of MACHINES) await machines.start(machine);
  const proxy = await startNginx(machines.ports);
  closing.push(() => proxy.stop());
  return { machines, database, pooler, gateway: new Gateway(proxy.address) };
}
