/**
 * Plays one cycle of everything that may happen to several machines, and compares after each part what the service shows
 * with the world. The ledgers are those of the rounds (test/e2e/rounds).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { look } from '../e2e/rounds/checks.ts';
import { COLLECTION, mustAsk, openJobs, STRATEGIES } from '../e2e/rounds/client.ts';
import { type Book, type Copy, Pulled, Pushed } from '../e2e/rounds/copies.ts';
import type { Place } from '../e2e/rounds/places.ts';
import { Reckoning } from '../e2e/rounds/reckoning.ts';
import { READMISSION_MS } from '../nginx-server.ts';
import type { PgbouncerServer } from '../pgbouncer-server.ts';
import type { PostgresPair } from '../postgres-pair.ts';
import { type Random, random } from '../random/random.ts';
import { hold } from '../random/violation.ts';
import { until } from '../until.ts';
import type { Gateway } from './gateway.ts';
import { MACHINES, type Machine, type Machines } from './machines.ts';
import { followJob } from './stream.ts';

export interface Stage {
  readonly machines: Machines;
  readonly gateway: Gateway;
  readonly database: PostgresPair;
  /** It leads to the server that takes writes. Without it, no failover is played. */
  readonly pooler: PgbouncerServer;
}

export interface Lengths {
  readonly killMs: number;
  readonly sleepMs: number;
}

export interface Tally {
  cycles: number;
  restarts: number;
  kills: number;
  sleeps: number;
  jobs: number;
  looks: number;
  streams: number;
  streamsOpenedAgain: number;
  /** These are the times without service at failovers and restarts of the database. */
  readonly outages: { readonly what: string; readonly readMs: number; readonly writeMs: number }[];
}

const KILL_EVERY_MS = 10_000;
const EDITS = 6;
/** The service keeps the newest 1,000 jobs of a connection, and the comparison needs those of the whole cycle. */
const PAUSE_MS = 1000;
/** Searches of programs that do nothing else, beside those that the ledgers check. */
const SEARCHES_AT_ONCE = 2;
const SEARCH_PAUSE_MS = 150;

export class Cycle {
  readonly #stage: Stage;
  readonly #tally: Tally;
  readonly #book: Book = new Map();
  readonly #pulled: readonly Pulled[];
  readonly #pushed: Pushed;
  readonly #tell: (text: string) => void;

  private constructor(
    { stage, tally, tell }: CycleOptions,
    copies: { readonly pulled: readonly Pulled[]; readonly pushed: Pushed; readonly book: Book },
  ) {
    this.#stage = stage;
    this.#tally = tally;
    this.#tell = tell;
    this.#pulled = copies.pulled;
    this.#pushed = copies.pushed;
    this.#book = copies.book;
  }

  /** Makes the collection and its connections. */
  static async begin(options: CycleOptions, chance: Random): Promise<Cycle> {
    const { gateway } = options.stage;
    const book: Book = new Map();
    const collection = { name: 'Chaos', readable_id: COLLECTION };
    await mustAsk(gateway, 'POST', '/v1/collections', collection);
    const pushed = await Pushed.open(gateway, book);
    const pulled = options.places.map((place) => new Pulled(place, gateway, book));
    for (const each of pulled) await each.open(chance);
    return new Cycle(options, { pulled, pushed, book });
  }

  async run(chance: Random, lengths: Lengths): Promise<void> {
    await this.#part('rolling restart', chance, () => this.#rollingRestart());
    await this.#part('kills', chance, () => this.#kills(chance, lengths.killMs));
    await this.#part('sleeps', chance, () => this.#sleeps(chance, lengths.sleepMs));
    await this.#part('database restarts', chance, () => this.#databaseRestarts());
    await this.#part('failover', chance, () => this.#failover());
    await this.#end();
  }

  get #copies(): readonly Copy[] {
    return [...this.#pulled, this.#pushed];
  }

  /** Plays a part of the cycle while the service is busy, and compares when everything is well again. */
  async #part(name: string, chance: Random, disturb: () => Promise<void>): Promise<void> {
    const { gateway, machines } = this.#stage;
    const began = performance.now();
    const seed = chance.below(2 ** 31);
    gateway.enter(name, { mayFail: name !== 'rolling restart' });
    const over = new AbortController();
    const load = [
      this.#bustle(random(seed), over.signal),
      this.#follow(over.signal),
      ...Array.from({ length: SEARCHES_AT_ONCE }, () => this.#search(over.signal)),
    ];
    // When one of them fails, the others must not outlive it.
    const ending = Promise.all(load).catch((error: unknown) => {
      over.abort();
      throw error;
    });
    const failing = new Promise<never>((_, reject) => void ending.catch(reject));
    try {
      await Promise.race([disturb(), failing]);
    } finally {
      over.abort();
    }
    await ending;
    gateway.checkNoneFailed();
    await this.#untilServed();
    machines.checkAlive();
    gateway.enter('comparison', { mayFail: false });
    await this.#pushed.send();
    await this.#reckoning.settle(seed, this.#book.keys());
    gateway.checkNoneFailed();
    machines.checkAlive();
    this.#tell(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }

  /** Edits, pushes and syncs, and compares what is shown meanwhile. */
  async #bustle(chance: Random, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      for (const pulled of this.#pulled) {
        await pulled.edit(chance, chance.below(EDITS));
        await pulled.run();
      }
      await this.#pushed.push(chance);
      await this.#look();
      await sleep(PAUSE_MS + chance.below(PAUSE_MS));
    }
  }

  async #search(over: AbortSignal): Promise<void> {
    const path = `/v1/collections/${COLLECTION}/search`;
    const body = { query: 'the price of salt', generate_answer: false, expand_query: false };
    while (!over.aborted) {
      await this.#stage.gateway.call('POST', path, body);
      await this.#stage.gateway.call('GET', '/v1/collections');
      await sleep(SEARCH_PAUSE_MS);
    }
  }

  /** Follows one job after the other. A job that was followed to the end of the part may go on. */
  async #follow(over: AbortSignal): Promise<void> {
    const { gateway } = this.#stage;
    let before = '';
    while (!over.aborted) {
      const running = await gateway.call('GET', '/v1/sync/jobs?limit=1');
      const [job] = running?.body ?? [];
      const copy = this.#copies.find(({ syncId }) => syncId === job?.sync_id);
      if (copy && job.id !== before) {
        before = job.id;
        const url = `${gateway.address}/v1/source-connections/${copy.id}/jobs/${job.id}/stream`;
        const { streams, isDone } = await followJob(url, over);
        hold(isDone || over.aborted, 'a stream tells the end of a job', () => job.id);
        this.#tally.streams++;
        this.#tally.streamsOpenedAgain += streams - 1;
      }
      await sleep(SEARCH_PAUSE_MS);
    }
  }

  async #look(): Promise<boolean> {
    const strategy = STRATEGIES[this.#tally.looks++ % STRATEGIES.length]!;
    return look(this.#stage.gateway, this.#copies, strategy);
  }

  /** Stops one process after the other, and starts it again, as an upgrade does. */
  async #rollingRestart(): Promise<void> {
    for (const machine of MACHINES) {
      await this.#stage.machines.stop(machine);
      await this.#stage.machines.start(machine);
      await sleep(READMISSION_MS);
      this.#tally.restarts++;
    }
  }

  async #kills(chance: Random, ms: number): Promise<void> {
    const { machines } = this.#stage;
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const next = sleep(KILL_EVERY_MS);
      const victims: Machine[] = [`api ${oneOfThree(chance)}`, `worker ${oneOfThree(chance)}`];
      await Promise.all(
        victims.map(async (machine) => {
          await machines.kill(machine);
          await machines.start(machine);
          this.#tally.kills++;
        }),
      );
      await next;
    }
  }

  /** A worker and a process that answers stop for longer than a lease lasts, and wake up again. */
  async #sleeps(chance: Random, ms: number): Promise<void> {
    const { machines } = this.#stage;
    const sleepers: Machine[] = [`worker ${oneOfThree(chance)}`, `api ${oneOfThree(chance)}`];
    for (const machine of sleepers) machines.sleep(machine);
    await sleep(ms);
    for (const machine of sleepers) machines.wake(machine);
    this.#tally.sleeps += sleepers.length;
    await sleep(2000);
  }

  async #databaseRestarts(): Promise<void> {
    for (const mode of ['fast', 'immediate'] as const)
      await this.#outage(`restart (${mode})`, () => this.#stage.database.restart(mode));
  }

  async #failover(): Promise<void> {
    const { database, pooler } = this.#stage;
    await this.#outage('failover', async () => {
      await database.failOver();
      pooler.pointTo(database.url);
    });
    await database.addStandby();
  }

  /** Measures how long nothing was read, and nothing was written. */
  async #outage(what: string, act: () => Promise<void>): Promise<void> {
    const { gateway } = this.#stage;
    const began = performance.now();
    const untilAnswered = async (method: string, path: string, body?: object) => {
      await until(async () => (await gateway.call(method, path, body))?.status === 200);
      return performance.now() - began;
    };
    await act();
    const [readMs, writeMs] = await Promise.all([
      untilAnswered('GET', `/v1/source-connections/${this.#pushed.id}`),
      untilAnswered('PATCH', `/v1/collections/${COLLECTION}`, {
        name: `Chaos after ${what} ${began}`,
      }),
    ]);
    this.#tally.outages.push({ what, readMs, writeMs });
    // Work goes on for a while before the next blow.
    await sleep(5000);
  }

  /** Waits until every process answers. Requests before that may fail. */
  async #untilServed(): Promise<void> {
    const { gateway } = this.#stage;
    let inARow = 0;
    await until(async () => {
      const answer = await gateway.call('POST', `/v1/collections/${COLLECTION}/search`, {
        query: 'salt',
        generate_answer: false,
      });
      inARow = answer?.status === 200 ? inARow + 1 : 0;
      return inARow >= 9;
    });
  }

  get #reckoning(): Reckoning {
    return new Reckoning(this.#stage.gateway, {
      pulled: this.#pulled,
      copies: this.#copies,
      book: this.#book,
      look: () => this.#look(),
    });
  }

  /** The next cycle makes the collection again. Nothing of this one may be shown then. */
  async #end(): Promise<void> {
    const { gateway } = this.#stage;
    this.#tally.jobs += this.#book.size;
    this.#tally.cycles++;
    await until(async () => (await openJobs(gateway)).length === 0);
    await mustAsk(gateway, 'DELETE', `/v1/collections/${COLLECTION}`);
    for (const { id } of this.#copies) {
      const answer = await gateway.call('GET', `/v1/source-connections/${id}`);
      hold(answer?.status === 404, 'what is deleted is gone', () => JSON.stringify(answer));
    }
  }
}

export interface CycleOptions {
  readonly stage: Stage;
  readonly places: readonly Place[];
  readonly tally: Tally;
  readonly tell: (text: string) => void;
}

const oneOfThree = (chance: Random) => (1 + chance.below(3)) as 1 | 2 | 3;
