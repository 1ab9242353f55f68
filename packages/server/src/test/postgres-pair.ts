/**
 * Starts a PostgreSQL with a standby that follows it by streaming replication, from the programs of this machine. A commit
 * is acknowledged when the standby has it, too, so a failover loses none.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import {
  initialOptions,
  openPostgresFolder,
  POSTGRES_PASSWORD,
  type PostgresFolder,
} from './postgres-server.ts';
import { until } from './until.ts';

interface Place {
  readonly data: string;
  readonly port: number;
}

export class PostgresPair {
  readonly #own: PostgresFolder;
  #primary: Place;
  #standby: Place | undefined;
  #places = 0;

  private constructor(own: PostgresFolder, primary: Place) {
    this.#own = own;
    this.#primary = primary;
  }

  static async start(): Promise<PostgresPair> {
    const own = await openPostgresFolder();
    const primary = { data: join(own.folder, 'first'), port: await freePort() };
    const pair = new PostgresPair(own, primary);
    await own.call('initdb', initialOptions({ ...primary, folder: own.folder }));
    await pair.#run(primary);
    await pair.addStandby();
    return pair;
  }

  /** The address of the server that takes writes now. */
  get url(): string {
    return urlOf(this.#primary);
  }

  /** Copies the primary, and lets commits wait for the copy from now on. */
  async addStandby(): Promise<void> {
    const place = {
      data: join(this.#own.folder, `copy-${++this.#places}`),
      port: await freePort(),
    };
    const source = `host=127.0.0.1 port=${this.#primary.port} user=postgres`;
    await this.#own.call('pg_basebackup', [
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '-N',
      '-D',
      place.data,
      '-d',
      source,
    ]);
    // Otherwise the commits of this server would wait for a standby of its own after it has been promoted.
    appendFileSync(join(place.data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n");
    await this.#run(place);
    this.#standby = place;
    await this.#query("alter system set synchronous_standby_names = '*'");
    await this.#query('select pg_reload_conf()');
    await until(async () => {
      const [row] = await this.#query("select from pg_stat_replication where sync_state = 'sync'");
      return row !== undefined;
    });
  }

  /** Stops the primary as an operator does (`fast`), or as a crash does (`immediate`), and starts it again. */
  async restart(mode: 'fast' | 'immediate'): Promise<void> {
    await this.#end(this.#primary, mode);
    await this.#run(this.#primary);
  }

  /** The primary vanishes, and the standby takes its place. The next call must add another standby. */
  async failOver(): Promise<void> {
    const standby = this.#standby;
    if (!standby) throw new Error('there is no standby');
    await this.#end(this.#primary, 'immediate');
    rmSync(this.#primary.data, { recursive: true });
    await this.#own.call('pg_ctl', ['-D', standby.data, '-w', 'promote']);
    this.#primary = standby;
    this.#standby = undefined;
  }

  async stop(): Promise<void> {
    for (const place of [this.#standby, this.#primary])
      if (place) await this.#end(place, 'immediate');
    rmSync(this.#own.folder, { recursive: true });
  }

  async #run({ data, port }: Place): Promise<void> {
    const { folder } = this.#own;
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off -c max_connections=200 -c wal_retrieve_retry_interval=1s`;
    await this.#own.call('pg_ctl', [
      '-D',
      data,
      '-w',
      '-l',
      `${data}.log`,
      '-o',
      settings,
      'start',
    ]);
  }

  async #end({ data }: Place, mode: 'fast' | 'immediate'): Promise<void> {
    await this.#own.call('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop']);
  }

  async #query(text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }
}

const urlOf = ({ port }: Place) =>
  `postgres://postgres:${POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`;
