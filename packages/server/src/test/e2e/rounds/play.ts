/**
 * Plays rounds of random edits, pushes, syncs and kill -9 against real processes, which it sees only from outside.
 *
 * A seed fixes what is edited, pushed and killed, and at which moment it is meant to happen; the machine decides how
 * far a sync has come by then. At the end of every round the processes start again, and the play looks at what they
 * show. Now and then it waits for all work to end, and everything must be exactly as the world is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, random } from '../../random/random.ts';
import { hold, same } from '../../random/violation.ts';
import { until } from '../../until.ts';
import { look } from './checks.ts';
import { COLLECTION, mustAsk, openJobs, runningJobs, STRATEGIES } from './client.ts';
import type { Cluster, Member } from './cluster.ts';
import { type Book, type Copy, Pulled, Pushed } from './copies.ts';
import type { Place } from './places.ts';
import { PATIENCE_MS, Reckoning } from './reckoning.ts';

const MAX_DELAY_MS = 400;
const ROUNDS_A_SETTLING = 4;
const ROUNDS_A_SLEEP = 3;

export interface PlayOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly places: readonly Place[];
  /** Ends the leases of all workers, dead and alive: a lease takes half a minute to run out by itself. */
  readonly endLeases: (() => Promise<void>) | undefined;
  readonly onRound: (round: number) => void;
}

export interface Tally {
  kills: number;
  /** Counts the workers that slept until others had done their work. */
  sleeps: number;
  /** Counts the jobs that another life of a worker has ended. */
  resumed: number;
  looks: number;
  jobs: number;
}

export class Play {
  readonly tally: Tally = { kills: 0, sleeps: 0, resumed: 0, looks: 0, jobs: 0 };
  readonly #cluster: Cluster;
  readonly #options: PlayOptions;
  readonly #book: Book = new Map();
  readonly #pulled: Pulled[];
  #pushed: Pushed | undefined;
  /** Maps the id of each job to the last kill during its run. */
  readonly #interrupted = new Map<string, { attempt: number; at: number }>();

  constructor(cluster: Cluster, options: PlayOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#pulled = options.places.map((place) => new Pulled(place, cluster, this.#book));
  }

  async run(): Promise<Tally> {
    const { seed, rounds } = this.#options;
    await this.#cluster.start();
    const collection = { name: 'Rounds', readable_id: COLLECTION };
    await mustAsk(this.#cluster, 'POST', '/v1/collections', collection);
    this.#pushed = await Pushed.open(this.#cluster, this.#book);
    const chance = random(seed);
    for (const pulled of this.#pulled) await pulled.open(chance);
    for (let round = 1; round <= rounds; round++) {
      this.#options.onRound(round);
      await this.#round(round, random(seed * 1000 + round));
      if (round % ROUNDS_A_SETTLING === 0 || round === rounds) await this.#settle(seed + round);
    }
    for (const { id } of this.#pulled) await this.#compareWithSource(id);
    return this.tally;
  }

  get #reckoning(): Reckoning {
    return new Reckoning(this.#cluster, {
      pulled: this.#pulled,
      copies: this.#copies,
      book: this.#book,
      look: () => this.#look(),
    });
  }

  get #copies(): readonly Copy[] {
    return this.#pushed ? [...this.#pulled, this.#pushed] : this.#pulled;
  }

  async #round(round: number, chance: Random): Promise<void> {
    const many = chance.below(6) === 0;
    for (const pulled of this.#pulled)
      await pulled.edit(chance, many ? pulled.size : 3 + chance.below(20));
    for (let i = chance.below(3); i > 0; i--) await this.#pushed?.push(chance);
    for (const pulled of this.#pulled) if (chance.next() < 0.85) await pulled.run();

    const victims = this.#victims(round);
    const delay = chance.below(MAX_DELAY_MS);
    const bustle = random(chance.below(2 ** 31));
    const killing = new AbortController();
    await Promise.all([
      this.#bustle(bustle, killing.signal),
      this.#disturb(round, victims, delay).finally(() => killing.abort()),
    ]);

    for (const pulled of this.#pulled) await pulled.edit(chance, chance.below(4));
    await this.#cluster.start();
    this.#cluster.checkAlive();
    await this.#pushed?.send();
    await this.#reckoning.confirm();
    await this.#look();
  }

  #victims(round: number): readonly Member[] {
    if (this.#cluster.embedded) return this.#cluster.members;
    const worker: Member = round % 2 === 0 ? 'worker 1' : 'worker 2';
    return round % 2 === 0 ? ['api 1', worker] : [worker];
  }

  /** Keeps the service busy until the processes are killed. */
  async #bustle(chance: Random, killed: AbortSignal): Promise<void> {
    for (let i = 1 + chance.below(3); i > 0; i--) {
      await this.#look();
      for (const pulled of this.#pulled) await pulled.edit(chance, chance.below(3));
      await this.#pushed?.push(chance);
    }
    // A call to a dead process returns at once, and a loop over it would give nothing else a turn.
    while (!killed.aborted && (await this.#look()));
  }

  async #look(): Promise<boolean> {
    const strategy = STRATEGIES[this.tally.looks++ % STRATEGIES.length]!;
    return look(this.#cluster, this.#copies, strategy);
  }

  /** Kills the victims, or now and then puts one to sleep until another worker has done its work. */
  async #disturb(round: number, victims: readonly Member[], delay: number): Promise<void> {
    // A worker that has just been started takes a while to begin.
    await until(async () => {
      const jobs = await openJobs(this.#cluster);
      return jobs.length === 0 || jobs.some(({ status }) => status === 'in_progress');
    });
    await sleep(delay);
    const running = await runningJobs(this.#cluster);
    const [sleeper] = victims;
    if (sleeper && !this.#cluster.embedded && round % ROUNDS_A_SLEEP === 0)
      await this.#outlast(sleeper);
    else {
      await this.#cluster.kill(victims);
      this.tally.kills++;
    }
    const at = Date.now();
    for (const [id, attempt] of running) this.#interrupted.set(id, { attempt, at });
  }

  /** The worker wakes up with jobs that another worker has ended, and must change nothing. */
  async #outlast(sleeper: Member): Promise<void> {
    this.#cluster.sleep(sleeper);
    await this.#options.endLeases?.();
    await this.#reckoning.untilIdle();
    this.#cluster.wake(sleeper);
    this.tally.sleeps++;
  }

  async #settle(seed: number): Promise<void> {
    await this.#options.endLeases?.();
    await this.#reckoning.settle(seed, [...this.#book.keys(), ...this.#interrupted.keys()]);
    await this.#checkAttempts();
    this.#cluster.checkAlive();
    this.tally.jobs = this.#book.size;
  }

  async #checkAttempts(): Promise<void> {
    for (const [id, { attempt, at }] of this.#interrupted) {
      const job = await mustAsk(this.#cluster, 'GET', `/v1/sync/jobs/${id}`);
      const now = job.sync_metadata.attempt;
      if (now > attempt) this.tally.resumed++;
      // The play does not know which worker had the job on PostgreSQL.
      const survived = this.#cluster.embedded && Date.parse(job.completed_at) > at;
      hold(
        now >= (survived ? attempt + 1 : attempt),
        'every kill is one attempt more',
        () => `it was at attempt ${attempt}: ${JSON.stringify(job)}`,
      );
    }
    this.#interrupted.clear();
  }

  async #compareWithSource(connection: string): Promise<void> {
    const { run } = await mustAsk(this.#cluster, 'POST', `/v1/collections/${COLLECTION}/doctor`, {
      source_connection_id: connection,
    });
    const path = `/v1/collections/${COLLECTION}/maintenance/${run.id}`;
    const { problems, errors } = await until(async () => {
      const seen = await mustAsk(this.#cluster, 'GET', path);
      return ['COMPLETED', 'FAILED'].includes(seen.status) && seen;
    }, PATIENCE_MS);
    same(JSON.stringify([problems, errors]), '[[],[]]', 'the doctor finds nothing', connection);
  }
}
