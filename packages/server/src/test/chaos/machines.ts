/** The processes of one installation on PostgreSQL: three with the role api at ports that stay the same, and three workers. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, startServer, TEST_KEY } from '../e2e/process.ts';
import { freePort } from '../free-port.ts';
import { hold } from '../random/violation.ts';

export const MACHINES = ['api 1', 'api 2', 'api 3', 'worker 1', 'worker 2', 'worker 3'] as const;
export type Machine = (typeof MACHINES)[number];

interface MachineLife {
  readonly exited: Promise<{ readonly code: number | null }>;
  readonly stderr: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
}

export interface MachineSettings {
  /** Every process has its data directory below this path. */
  readonly path: string;
  readonly databaseUrl: string;
  /** The same database without pooling of transactions. */
  readonly directUrl: string;
  readonly filesRoot: string;
}

/** The clocks of these machines are wrong by so many milliseconds. */
const CLOCKS: Partial<Record<Machine, number>> = { 'api 3': -420_000, 'worker 3': 660_000 };
const WRONG_CLOCK = pathToFileURL(join(import.meta.dirname, 'wrong-clock.mjs')).href;
/** Each log keeps so many characters of its end. */
const LOG_LENGTH = 20_000;

export class Machines {
  readonly ports: readonly number[];
  readonly #settings: MachineSettings;
  readonly #living = new Map<Machine, MachineLife>();
  readonly #logs = new Map<Machine, string>();
  readonly #ended: string[] = [];

  private constructor(settings: MachineSettings, ports: readonly number[]) {
    this.#settings = settings;
    this.ports = ports;
  }

  static async of(settings: MachineSettings): Promise<Machines> {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    return new Machines(settings, ports);
  }

  async start(machine: Machine): Promise<void> {
    const number = Number(machine.at(-1));
    const dataDir = join(this.#settings.path, machine);
    const shift = CLOCKS[machine];
    const env = {
      QUARRY_API_KEY: TEST_KEY,
      DATABASE_URL: this.#settings.databaseUrl,
      DATABASE_DIRECT_URL: this.#settings.directUrl,
      QUARRY_ENCRYPTION_KEY: 'one key for all of the processes here',
      QUARRY_FILES_ROOTS: this.#settings.filesRoot,
      QUARRY_SOURCE_NETWORKS: '127.0.0.0/8',
      QUARRY_TRUSTED_PROXIES: '127.0.0.1',
      QUARRY_DATABASE_CONNECTIONS: '15',
      QUARRY_SEARCH_THREADS: '1',
      QUARRY_SYNC_THREADS: '0',
      ...(shift !== undefined && {
        NODE_OPTIONS: `--import=${WRONG_CLOCK}`,
        WRONG_CLOCK_MS: String(shift),
      }),
    };
    const life = machine.startsWith('api')
      ? await serve(dataDir, { ...env, QUARRY_ROLES: 'api' }, this.ports[number - 1] ?? 0)
      : work(dataDir, { ...env, QUARRY_ROLES: 'worker' });
    this.#living.set(machine, life);
    void life.exited.then(() => {
      this.#logs.set(
        machine,
        `${this.#logs.get(machine) ?? ''}${life.stderr()}`.slice(-LOG_LENGTH),
      );
      if (this.#living.get(machine) === life) this.#ended.push(machine);
    });
  }

  /** Stops it as an operator does. It must end by itself, and well. */
  async stop(machine: Machine): Promise<void> {
    const life = this.#leave(machine);
    life.signal('SIGTERM');
    const { code } = await life.exited;
    hold(code === 0, 'a process that is asked to stop ends well', () => `${machine}: ${code}`);
  }

  async kill(machine: Machine): Promise<void> {
    const life = this.#leave(machine);
    life.signal('SIGKILL');
    await life.exited;
  }

  /** Stops it until it is woken, as on a machine that sleeps. */
  sleep(machine: Machine): void {
    this.#living.get(machine)?.signal('SIGSTOP');
  }

  wake(machine: Machine): void {
    this.#living.get(machine)?.signal('SIGCONT');
  }

  checkAlive(): void {
    hold(this.#ended.length === 0, 'no process ends by itself', () => this.#ended.join());
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#living.keys()].map((machine) => this.kill(machine)));
  }

  /** Returns the newest warnings and errors that the processes have logged. */
  log(count: number): string[] {
    for (const [machine, { stderr }] of this.#living)
      this.#logs.set(machine, `${this.#logs.get(machine) ?? ''}${stderr()}`.slice(-LOG_LENGTH));
    return [...this.#logs]
      .flatMap(([machine, text]) =>
        text
          .split('\n')
          .filter((line) => line !== '' && !/"level":[123]0,/.test(line))
          .map((line) => {
            const time = Number(/"time":(\d+)/.exec(line)?.[1] ?? 0) - (CLOCKS[machine] ?? 0);
            return { time, text: `${machine}: ${line}` };
          }),
      )
      .toSorted((a, b) => a.time - b.time)
      .slice(-count)
      .map(({ text }) => text);
  }

  #leave(machine: Machine): MachineLife {
    const life = this.#living.get(machine);
    if (!life) throw new Error(`${machine} does not run`);
    this.#living.delete(machine);
    return life;
  }
}

async function serve(
  dataDir: string,
  env: Record<string, string>,
  port: number,
): Promise<MachineLife> {
  const args = ['--no-sample', '--port', String(port)];
  const { child, exited, stderr } = await startServer(dataDir, { env, args });
  return { exited, stderr, signal: (name) => void child.kill(name) };
}

function work(dataDir: string, env: Record<string, string>): MachineLife {
  const { child, exited, output } = launch(['start', '--data-dir', dataDir], env);
  return { exited, stderr: () => output.stderr, signal: (name) => void child.kill(name) };
}
