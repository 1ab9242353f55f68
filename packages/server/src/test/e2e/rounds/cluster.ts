/**
 * A cluster is the processes of one installation. On SQLite one process does everything; on PostgreSQL two answer in
 * turns, and two work. Each can be killed and started again, and a worker can sleep; a process that ends by itself is a
 * fault.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { hold } from '../../random/violation.ts';
import { launch, type Server, startServer, TEST_KEY } from '../process.ts';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** Something that can be asked, such as a cluster or what stands in front of one. */
export interface Answering {
  /** Returns undefined when the request may or may not have been served. */
  call(method: string, path: string, body?: unknown): Promise<Answer | undefined>;
}

export interface Installation {
  /** Every process has its data directory below this path. */
  readonly path: string;
  /** This is the address of the PostgreSQL database, or undefined for SQLite. */
  readonly databaseUrl: string | undefined;
  readonly filesRoot: string;
}

interface Life {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  readonly stderr: () => string;
  readonly server: Server | undefined;
  kill(): Promise<unknown>;
}

const ROLES = {
  all: 'api,worker',
  'api 1': 'api',
  'api 2': 'api',
  'worker 1': 'worker',
  'worker 2': 'worker',
};
export type Member = keyof typeof ROLES;

export class Cluster implements Answering {
  readonly members: readonly Member[];
  readonly #installation: Installation;
  readonly #living = new Map<Member, Life>();
  readonly #logs: { member: Member; stderr: () => string }[] = [];
  readonly #ended: string[] = [];
  #calls = 0;

  constructor(installation: Installation) {
    this.#installation = installation;
    this.members = installation.databaseUrl ? ['api 1', 'api 2', 'worker 1', 'worker 2'] : ['all'];
  }

  get embedded(): boolean {
    return this.members.length === 1;
  }

  /** Starts the processes that are not alive. */
  async start(): Promise<void> {
    for (const member of this.members)
      if (!this.#living.has(member)) this.#living.set(member, await this.#spawn(member));
  }

  async kill(members: readonly Member[]): Promise<void> {
    const lives = members.map((member) => this.#living.get(member));
    for (const member of members) this.#living.delete(member);
    await Promise.all(lives.map((life) => life?.kill()));
  }

  /** Stops a process until it is woken, as on a machine that sleeps. */
  sleep(member: Member): void {
    this.#living.get(member)?.child.kill('SIGSTOP');
  }

  wake(member: Member): void {
    this.#living.get(member)?.child.kill('SIGCONT');
  }

  checkAlive(): void {
    hold(this.#ended.length === 0, 'no process ends by itself', () => this.#ended.join());
  }

  /**
   * Asks the processes that answer, in turns. Returns undefined when none is alive, or when the process died during the
   * request, because it may or may not have been served.
   */
  async call(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    const servers = this.members.flatMap((member) => this.#living.get(member)?.server ?? []);
    const server = servers[this.#calls++ % servers.length];
    if (!server) return undefined;
    try {
      return await server.call(method, path, body);
    } catch (error) {
      const isAlive = [...this.#living.values()].some((life) => life.server === server);
      if (!isAlive) return undefined;
      this.checkAlive();
      throw error;
    }
  }

  /** Returns the newest lines that the processes have logged. */
  log(count: number): string[] {
    let time = 0;
    return this.#logs
      .flatMap(({ member, stderr }) =>
        stderr()
          .split('\n')
          .filter(Boolean)
          .map((line) => {
            time = Number(/"time":(\d+)/.exec(line)?.[1] ?? time);
            return { time, text: `${member}: ${line}` };
          }),
      )
      .toSorted((a, b) => a.time - b.time)
      .slice(-count)
      .map(({ text }) => text);
  }

  async #spawn(member: Member): Promise<Life> {
    const { path, databaseUrl, filesRoot } = this.#installation;
    const dataDir = join(path, member);
    const env = {
      QUARRY_API_KEY: TEST_KEY,
      ...(databaseUrl && {
        DATABASE_URL: databaseUrl,
        QUARRY_ROLES: ROLES[member],
        QUARRY_ENCRYPTION_KEY: 'one key for all of the processes here',
        QUARRY_FILES_ROOTS: filesRoot,
        QUARRY_SOURCE_NETWORKS: '127.0.0.0/8',
      }),
    };
    const life = serves(member)
      ? await this.#serve(dataDir, env)
      : this.#work(['start', '--data-dir', dataDir], env);
    this.#logs.push({ member, stderr: life.stderr });
    void life.exited.then(() => {
      if (this.#living.get(member) === life) this.#ended.push(member);
    });
    return life;
  }

  async #serve(dataDir: string, env: Record<string, string>): Promise<Life> {
    const server = await startServer(dataDir, { env });
    const { child, exited, stderr, kill } = server;
    return { child, server, exited, stderr, kill };
  }

  #work(args: string[], env: Record<string, string>): Life {
    const { child, exited, output } = launch(args, env);
    const kill = () => {
      child.kill('SIGKILL');
      return exited;
    };
    return { child, server: undefined, exited, stderr: () => output.stderr, kill };
  }
}

const serves = (member: Member) => ROLES[member].includes('api');
