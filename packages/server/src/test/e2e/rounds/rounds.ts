/** Plays rounds from nothing to their end, on SQLite or on a PostgreSQL server. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '../../databases.ts';
import { describeFailure, failureOf } from '../../random/failure.ts';
import { tempDir } from '../process.ts';
import { Cluster } from './cluster.ts';
import { folder, type Place, table } from './places.ts';
import { Play, type Tally } from './play.ts';

const LOG_LINES = 50;

export interface Rounds {
  readonly database: 'sqlite' | 'postgres';
  readonly seed: number;
  readonly rounds: number;
  /** This is the address of a server, with its superuser. Without it, SQLite plays without a table. */
  readonly server: string | undefined;
  /** The world is smaller, and the leases of dead workers are ended by hand instead of waiting for their end. */
  readonly brief?: boolean;
}

/** Throws an Error that tells what is wrong, how to repeat it, and what was logged last. */
export async function playRounds(options: Rounds): Promise<Tally> {
  const { database, server, seed, rounds } = options;
  const dir = tempDir();
  const databases: Awaited<ReturnType<typeof createDatabase>>[] = [];
  const open = async () => {
    if (!server) throw new Error('rounds on PostgreSQL need a server');
    const made = await createDatabase(server);
    databases.push(made);
    return made;
  };
  const places: Place[] = [];
  let cluster: Cluster | undefined;
  let round = 0;
  try {
    const own = database === 'postgres' ? await open() : undefined;
    mkdirSync(join(dir.path, 'world'));
    const [files, rows] = options.brief ? [210, 60] : [420, 230];
    places.push(folder(join(dir.path, 'world'), files));
    if (server) places.push(await table((await open()).url, rows));
    cluster = new Cluster({
      path: dir.path,
      databaseUrl: own?.url,
      filesRoot: join(dir.path, 'world'),
    });
    const endLeases = own && options.brief ? () => own.query(END_LEASES) : undefined;
    const onRound = (now: number) => {
      round = now;
    };
    return await new Play(cluster, { seed, rounds, places, endLeases, onRound }).run();
  } catch (error) {
    const failure = failureOf(error, seed, cluster?.log(LOG_LINES) ?? []);
    const command = `faults -- --real --database ${database} --seed ${seed} --rounds ${round}`;
    throw new Error(describeFailure(failure, command), { cause: error });
  } finally {
    await cluster?.kill(cluster.members);
    for (const place of places) await place.close();
    for (const made of databases) await made.drop();
    dir.remove();
  }
}

const END_LEASES = 'update jobs set lease_until = 0 where lease_until is not null';
